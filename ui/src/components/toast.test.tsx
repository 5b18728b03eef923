import { act, render, renderHook, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { signInAnother } from '../testing/signIn';
import { toast, ToastRegion, useProblems } from './toast';

it('one of a kind takes the place of the one before', () => {
  render(<ToastRegion />);
  const onClose = vi.fn();
  act(() => {
    toast.done('Moved one', { kind: 'step', onClose });
    toast.done('Moved two', { kind: 'step' });
    toast.done('Renamed a board');
  });
  expect(onClose).toHaveBeenCalledOnce();
  const shown = screen.getAllByRole('alertdialog', { hidden: true }).map((one) => one.textContent);
  expect(shown).toEqual([expect.stringContaining('Renamed a board'), expect.stringContaining('Moved two')]);
});

it('what was said to one is not shown to who signs in next, and each message hears that it is gone', async () => {
  render(<ToastRegion />);
  const { result } = renderHook(useProblems);
  const onClose = vi.fn();
  act(() => {
    for (let i = 0; i < 4; i++) toast.done(`Renamed ${i}`, { undo: () => {}, onClose });
    toast.problem('Secret plans were not saved', new Error('Too large.'));
  });
  expect(screen.getByText('Secret plans were not saved')).toBeTruthy();
  expect(result.current).toHaveLength(1);
  await act(signInAnother);
  expect(screen.queryAllByText(/Renamed|Secret/)).toEqual([]);
  expect(screen.queryByRole('button', { hidden: true })).toBeNull();
  expect(onClose).toHaveBeenCalledTimes(4);
  expect(result.current).toEqual([]);
});
