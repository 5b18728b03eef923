import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Route, Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import type { TrashEntry } from './trash';
import TrashPage from './TrashPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'delete'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));
vi.mock('@shell/live', async (original) => ({ ...(await original<object>()), useLiveEvent: () => undefined }));
vi.mock('@shell/workspace', () => ({ useWorkspaces: () => ({ current: { id: 'w1' } }) }));

const entry = (more: Partial<TrashEntry>): TrashEntry => ({
  kind: 'item',
  id: 'i1',
  name: 'Mend the sails',
  itemCount: 0,
  at: '2026-03-01T12:00:00Z',
  actor: { kind: 'agent', name: 'Session', sessionId: 's1' },
  deletedAt: '2026-03-31T12:00:00Z',
  ...more,
});
let entries: TrashEntry[] = [];

const placeAt = (path: string) => {
  const { hook, searchHook } = memoryLocation({ path });
  return { hook, searchHook };
};
const draw = (path: string) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router {...placeAt(path)}>
        <Route path="/boards/trash" component={TrashPage} />
        <Route path="/boards/:id/trash" component={TrashPage} />
      </Router>
    </QueryClientProvider>,
  );

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  api.get.mockImplementation((path) =>
    Promise.resolve(path.endsWith('/trash') ? { items: entries, nextCursor: null } : { id: 'b1', name: 'Work' }),
  );
});

it('shows what was put away with who did it, and brings it back', async () => {
  entries = [
    entry({}),
    entry({ kind: 'group', id: 'g2', name: 'Later', itemCount: 3, actor: { kind: 'owner', name: 'Owner' } }),
  ];
  draw('/boards/b1/trash');
  const restore = await screen.findByRole('button', { name: 'Restore Mend the sails' });
  const [item, group] = screen.getAllByRole('listitem');
  expect(item!.textContent).toMatch(/Item.*Deleted.*by a sessions1.*Permanently deleted/);
  expect(group!.textContent).toMatch(/Group.*with 3 items.*by you/);
  await userEvent.click(restore);
  expect(api.post).toHaveBeenCalledWith('/boards/b1/items/i1/restore', {});
  await userEvent.click(screen.getByRole('button', { name: 'Restore Later' }));
  expect(api.post).toHaveBeenCalledWith('/boards/b1/groups/g2/restore', {});
});

it('deletes for good only when asked twice', async () => {
  entries = [entry({})];
  draw('/boards/b1/trash');
  await userEvent.click(await screen.findByRole('button', { name: 'Delete permanently: Mend the sails' }));
  expect(api.delete).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Delete permanently' }));
  expect(api.delete).toHaveBeenCalledWith('/boards/b1/trash/item/i1');
});

it('searches, and says what an empty list means', async () => {
  entries = [];
  draw('/boards/trash');
  expect(await screen.findByText('No deleted boards')).toBeTruthy();
  await userEvent.click(screen.getByRole('tab', { name: 'Archive' }));
  expect(await screen.findByText('No archived boards')).toBeTruthy();
  await userEvent.type(screen.getByRole('searchbox'), 'sail');
  expect(await screen.findByText('No results')).toBeTruthy();
  await waitFor(() =>
    expect(api.get).toHaveBeenCalledWith(
      '/boards/trash',
      expect.objectContaining({ query: { place: 'archive', search: 'sail', cursor: undefined, workspaceId: 'w1' } }),
    ),
  );
});

it('shows the archive where the address names it', async () => {
  entries = [];
  draw('/boards/trash?place=archive');
  expect(await screen.findByText('No archived boards')).toBeTruthy();
});

it('restores a board by its own id', async () => {
  entries = [{ id: 'b7', name: 'Old', itemCount: 2, at: '2026-03-01T12:00:00Z' } as TrashEntry];
  draw('/boards/trash');
  await userEvent.click(await screen.findByRole('button', { name: 'Restore Old' }));
  expect(api.post).toHaveBeenCalledWith('/boards/b7/restore', {});
});
