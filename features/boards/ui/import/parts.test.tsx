import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { FoundColumn } from './importing';
import { Columns, Differences } from './parts';

it('the button that adds people keeps the focus while they are added, and adds them once', async () => {
  const columns: FoundColumn[] = [
    { index: 0, title: 'Owner', type: 'tags', role: 'column', sample: ['Ann'], notes: [], unknownPeople: ['Ann'] },
  ];
  const add = vi.fn();
  const drawn = (onAddPeople?: typeof add) => (
    <Columns columns={columns} chosen={[]} onChoose={() => {}} onDateOrder={() => {}} onAddPeople={onAddPeople} />
  );
  const { rerender } = render(drawn(add));
  const button = screen.getByRole('button', { name: 'Add Ann as a member' });
  await userEvent.click(button);
  rerender(drawn());
  await userEvent.keyboard('{Enter}');
  expect([add.mock.calls, document.activeElement, button.hasAttribute('disabled')]).toEqual([
    [[['Ann']]],
    button,
    false,
  ]);
});

it('the columns of a file show what was understood, and ask where dates do not tell the day', async () => {
  const columns: FoundColumn[] = [
    {
      index: 0,
      title: 'Cost',
      type: 'number',
      role: 'column',
      settings: { currency: 'USD' },
      sample: ['$100.00'],
      notes: [],
    },
    {
      index: 1,
      title: 'Due',
      type: 'date',
      role: 'column',
      dateOrder: 'month-first',
      sample: ['01/02/2026'],
      notes: ['Ambiguous'],
    },
  ];
  const onDateOrder = vi.fn();
  render(<Columns columns={columns} chosen={[]} onChoose={() => {}} onDateOrder={onDateOrder} />);
  expect(screen.getByRole('button', { name: /Import Cost as/ }).textContent).toContain('Number, $');
  expect(screen.queryByRole('button', { name: /Day and month order .* Cost/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /Day and month order .* Due/ }));
  await userEvent.click(screen.getByRole('option', { name: /Day first/ }));
  expect(onDateOrder.mock.calls[0]?.[0]).toBe('day-first');
});

it('a column that a few values keep from a type is made that by its button', async () => {
  const columns: FoundColumn[] = [
    {
      index: 1,
      title: 'Due',
      type: 'text',
      role: 'column',
      nearly: { type: 'date', misfits: 3, of: 412, examples: ['tbd'] },
      sample: ['2026-01-02'],
      notes: ['3 of 412 values are no date'],
    },
    { index: 2, title: 'Notes', type: 'text', role: 'column', sample: ['a'], notes: [] },
  ];
  const onChoose = vi.fn();
  render(<Columns columns={columns} chosen={[]} onChoose={onChoose} onDateOrder={() => {}} onAddPeople={() => {}} />);
  const [only, ...others] = screen.getAllByRole('button', { name: /^Change to/ });
  // Several may stand in the table: each says which column it is of.
  expect([only!.textContent, only!.getAttribute('aria-label'), others]).toEqual([
    'Change to Date',
    'Change to Date, Due',
    [],
  ]);
  await userEvent.click(only!);
  expect(onChoose.mock.calls).toEqual([[columns[0], 'date']]);
});

it('what would change is named with what the board has and what the file has, and the rest counted', () => {
  const of = (n: number, board: string, file: string) => ({
    itemId: `i${n}`,
    name: `Item ${n}`,
    field: 'c1',
    title: 'Status',
    board,
    file,
  });
  const { container, rerender } = render(
    <Differences
      title="What changes"
      differences={[of(1, 'Open', 'Done'), of(2, '', 'Open'), of(3, 'Open', '')]}
      count={1203}
    />,
  );
  expect(container.querySelector('summary')!.textContent).toBe('What changes: 1,203 cells');
  expect([...container.querySelectorAll('li')].map((line) => line.textContent)).toEqual([
    'Item 1, Status: Open → Done',
    'Item 2, Status: (empty) → Open',
    'Item 3, Status: Open → (empty)',
    '1,200 more',
  ]);
  rerender(<Differences title="What changes" differences={[]} count={0} />);
  expect(container.textContent).toBe('');
});
