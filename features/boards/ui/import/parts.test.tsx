import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { FoundColumn } from './importing';
import { Columns } from './parts';

it('the columns of a file show what was understood, and ask where dates do not tell the day', async () => {
  const columns: FoundColumn[] = [
    { index: 0, title: 'Cost', type: 'number', role: 'column', settings: { currency: 'USD' }, sample: ['$100.00'], notes: [] },
    { index: 1, title: 'Due', type: 'date', role: 'column', dateOrder: 'month-first', sample: ['01/02/2026'], notes: ['Ambiguous'] },
  ];
  const onDateOrder = vi.fn();
  render(<Columns columns={columns} chosen={[]} onChoose={() => {}} onDateOrder={onDateOrder} />);
  expect(screen.getByRole('button', { name: /What Cost becomes/ }).textContent).toContain('Number, $');
  expect(screen.queryByRole('button', { name: /Order of day and month .* Cost/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /Order of day and month .* Due/ }));
  await userEvent.click(screen.getByRole('option', { name: /Day first/ }));
  expect(onDateOrder.mock.calls[0]?.[0]).toBe('day-first');
});
