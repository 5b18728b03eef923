import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { LimitDialog } from './LimitDialog';
import type { Stack } from './stacks';

const onSave = vi.fn();
const onClose = vi.fn();
function draw() {
  onSave.mockReset();
  onClose.mockReset();
  render(<LimitDialog stack={{ name: 'Done' } as Stack} limit={undefined} onClose={onClose} onSave={onSave} />);
  return { user: userEvent.setup(), button: screen.getByRole('button', { name: 'Set limit' }) };
}

it('the first press of the button sets what was typed', async () => {
  const { user, button } = draw();
  await user.keyboard('25');
  await user.click(button);
  expect(onSave.mock.calls).toEqual([[25]]);
});

it('Enter sets the limit', async () => {
  const { user } = draw();
  await user.keyboard('3{Enter}');
  expect([onSave.mock.calls, onClose.mock.calls.length]).toEqual([[[3]], 1]);
});

it('what is no limit stays in the dialog with the reason', async () => {
  const { user, button } = draw();
  await user.keyboard('2.5');
  await user.click(button);
  expect(screen.getByText('Enter a whole number from 1 to 1,000,000.')).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText('Maximum items'));
  expect([onSave.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 0]);
});
