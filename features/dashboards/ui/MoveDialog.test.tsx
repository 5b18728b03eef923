import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { MoveDialog } from './MoveDialog';

const onMove = vi.fn();
const onClose = vi.fn();
async function typed(column: string) {
  onMove.mockReset();
  onClose.mockReset();
  render(<MoveDialog title="Budget" box={{ x: 0, y: 0, w: 4, h: 2 }} onClose={onClose} onMove={onMove} />);
  const user = userEvent.setup();
  await user.clear(screen.getByLabelText('Column'));
  await user.keyboard(column);
  return user;
}

it.each(['2.5', '99', '0', 'x'])('a widget is not moved to column %s, and the field says why', async (column) => {
  const user = await typed(column);
  await user.click(screen.getByRole('button', { name: 'Move' }));
  expect([onMove.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 0]);
  expect(screen.getByLabelText('Column').getAttribute('aria-invalid')).toBe('true');
});

it.each(['button', 'Enter'])('a whole column within the dashboard is taken, by %s', async (by) => {
  const user = await typed('3');
  if (by === 'Enter') await user.keyboard('{Enter}');
  else await user.click(screen.getByRole('button', { name: 'Move' }));
  expect(onMove.mock.calls).toEqual([[{ x: 2, y: 0 }]]);
});
