import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { Setting } from '@shell/settings';
import { RestartBar } from './RestartBar';

vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { post: () => Promise.resolve({}) },
}));
afterEach(() => void vi.useRealTimers());

it('says what to do where the program does not come back to this page', async () => {
  vi.useFakeTimers();
  render(<RestartBar settings={[{ key: 'cliServerEnabled', title: 'CLI server', pendingRestart: true } as Setting]} />);
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Restart' });
  await act(async () => button.click());
  await act(async () => vi.advanceTimersByTime(29_000));
  expect(screen.queryByText(/at this address anymore/)).toBeNull();
  await act(async () => vi.advanceTimersByTime(2_000));
  expect(screen.getByText(/Pilothouse isn't at this address anymore/).textContent).toContain(
    'To open it, run: pilothouse open',
  );
});
