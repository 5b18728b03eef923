import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Column } from '../data';
import { show } from '../format';
import { FormulaField } from './FormulaField';
import { NoResult } from './NoResult';
import { withTitles } from './data';

const get = vi.fn<(path: string, options?: { query?: Record<string, unknown> }) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<typeof get>) => get(...args) },
}));

const column = (id: string, title: string, more: Partial<Column> = {}): Column => ({
  id,
  title,
  type: 'number',
  settings: {},
  ...more,
});
const columns = [column('c1', 'Price'), column('c2', 'Quantity'), column('c3', 'Twin'), column('c4', 'twin')];
const total = column('c5', 'Total', { type: 'formula', settings: { formula: '{c1} * {c2}', result: 'number' } });

function Written() {
  const [formula, setFormula] = useState('');
  return <FormulaField board="b1" columns={columns} value={formula} onChange={setFormula} />;
}

const draw = (content: React.ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      {content}
    </QueryClientProvider>,
  );

beforeEach(() => get.mockReset());

it('shows a stored formula by titles, and by ids where a title is not enough', () => {
  expect(withTitles('{c1} & "{c2}" & {c3} & {name} & {c9}', columns)).toBe('{Price} & "{c2}" & {c3} & {Name} & {c9}');
});

it('shows a computed cell as what it holds', () => {
  expect(show(1234.5, { ...total, settings: { ...total.settings, decimals: 2 } }, [])).toBe('1,234.50');
  expect(show('2026-03-01', { ...total, settings: { result: 'date' } }, [])).toBe('Mar 1, 2026');
});

it('previews what is written and marks what is wrong', async () => {
  get.mockImplementation((_, options) => {
    const isWrong = String(options?.query?.formula).includes('Color');
    return Promise.resolve(
      isWrong
        ? { result: null, problem: { at: 0, length: 8, detail: 'The board has no column “Color”.' }, items: [] }
        : {
            result: 'number',
            problem: null,
            items: [
              { id: 'i1', name: 'Chair', value: 6, reason: null },
              { id: 'i2', name: 'Stool', value: null, reason: 'Division by zero.' },
            ],
          },
    );
  });
  const user = userEvent.setup();
  draw(<Written />);
  await user.click(screen.getByRole('button', { name: 'Price' }));
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Formula' });
  expect(field.value).toBe('{Price}');
  expect(await screen.findByText('Result: a number.')).toBeTruthy();
  expect(screen.getByText('6')).toBeTruthy();
  expect(screen.getByText('Division by zero.')).toBeTruthy();
  await user.clear(field);
  await user.type(field, '{{Color}');
  expect(await screen.findByText('The board has no column “Color”.')).toBeTruthy();
  expect(document.querySelector('mark')?.textContent).toBe('{Color}');
});

it('says why a cell has no result once someone looks at it', async () => {
  get.mockResolvedValue({
    result: 'number',
    problem: null,
    items: [{ id: 'i1', name: 'Chair', value: null, reason: '“Price” is empty.' }],
  });
  const { rerender } = draw(<NoResult board="b1" item="i1" column={total} isHere={false} />);
  expect(get).not.toHaveBeenCalled();
  rerender(
    <QueryClientProvider client={new QueryClient()}>
      <NoResult board="b1" item="i1" column={total} isHere />
    </QueryClientProvider>,
  );
  expect((await screen.findByRole('status')).textContent).toBe('“Price” is empty.');
  expect(get).toHaveBeenCalledWith(
    '/boards/b1/formulas/preview',
    expect.objectContaining({ query: { columnId: 'c5', itemId: 'i1' } }),
  );
});
