import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import type { Detail, Hub } from '../data';
import { ForkDialog } from './ForkDialog';

const post = vi.fn<(...given: unknown[]) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { post: (...given: unknown[]) => post(...given) },
}));

it('starts a session with what was said up to a message, in a worktree if there is one, and opens it', async () => {
  post.mockResolvedValue({ id: 's2' });
  const { hook, history } = memoryLocation({ path: '/sessions/s1', record: true });
  const onClose = vi.fn();
  const session = { id: 's1', cwd: '/home/ada/shop-tree' } as Detail;
  const hub = { folder: '/home/ada/shop', purpose: '', isRepository: true, hasCommits: true } as Hub;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Router hook={hook}>
        <ForkDialog session={session} hub={hub} entry={7} onClose={onClose} />
      </Router>
    </QueryClientProvider>,
  );
  expect(screen.getByRole<HTMLInputElement>('switch', { name: 'Work in a git worktree' }).checked).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Start session' }));
  expect(screen.getByText('Describe the task.')).not.toBeNull();
  expect(post).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText('Message'), 'Another way{Control>}{Enter}{/Control}');
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(post).toHaveBeenCalledWith('/sessions/s1/fork', { entry: 7, prompt: 'Another way' });
  expect(history.at(-1)).toBe('/sessions/s2');
});
