import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import NotesPage from './NotesPage';
import type { StickyNote } from './data';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), patch: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'patch', 'delete'] as const).map((method) => [
      method,
      (...args: Parameters<Send>) => api[method](...args),
    ]),
  ),
}));

const NOTE: StickyNote = {
  id: 'n1',
  text: 'Call Ada',
  color: 'yellow',
  isOpen: true,
  createdAt: '2026-03-01T12:00:00.000Z',
  changedAt: '2026-03-01T12:00:00.000Z',
};

function draw() {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <QueryClientProvider client={cache}>
      <NotesPage />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  api.get.mockResolvedValue({ items: [NOTE] });
});

it('saves a text when the note loses the focus, and keeps it where that fails', async () => {
  draw();
  const text = await screen.findByRole('textbox', { name: 'Text of the note' });
  api.patch.mockRejectedValueOnce(new Error('no'));
  await userEvent.type(text, ' now');
  await userEvent.tab();
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/notes/n1', { text: 'Call Ada now' }));
  expect(text).toHaveProperty('value', 'Call Ada now');
  await userEvent.click(text);
  await userEvent.tab();
  await waitFor(() => expect(api.patch).toHaveBeenCalledTimes(2));
});

it('saves what was typed when the page closes', async () => {
  const { unmount } = draw();
  await userEvent.type(await screen.findByRole('textbox'), '!');
  unmount();
  expect(api.patch).toHaveBeenCalledWith('/notes/n1', { text: 'Call Ada!' });
});
