import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ToastRegion } from '@shell/components';
import { BookmarksButton } from './BookmarksButton';
import BookmarksPage from './BookmarksPage';
import { foldersOf, type Bookmark } from './data';

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

const AT = '2026-03-01T12:00:00.000Z';
const mark = (id: string, name: string, address: string | null, folderId: string | null = null): Bookmark => ({
  ...{ id, name, address, folderId, createdAt: AT, changedAt: AT },
  kind: address === null ? 'folder' : 'link',
});
const ALL = [
  mark('b1', 'Docs', 'https://docs.example/'),
  mark('f1', 'Work', null),
  mark('b2', 'Inbox', '/app/inbox', 'f1'),
];
let bookmarks: Bookmark[] = [];
let isShown = true;

function draw(path = '/boards') {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const memory = memoryLocation({ path, record: true });
  render(
    <QueryClientProvider client={cache}>
      <Router hook={memory.hook} searchHook={memory.searchHook}>
        <BookmarksButton />
        <BookmarksPage />
        <ToastRegion />
      </Router>
    </QueryClientProvider>,
  );
  return memory;
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  [bookmarks, isShown] = [ALL, true];
  api.get.mockImplementation((path) => {
    if (path.startsWith('/settings'))
      return Promise.resolve({ revision: 1, settings: [{ key: 'showBookmarksInToolbar', value: isShown }] });
    return Promise.resolve({ items: bookmarks, nextCursor: null });
  });
});

it('names the folders of a bookmark', () => {
  const inner = [mark('f2', 'Inner', null, 'f1'), mark('b3', 'Deep', '/app', 'f2')];
  expect(foldersOf([...ALL, ...inner], inner[1]!)).toEqual(['Work', 'Inner']);
});

it('filters in the popover, and Enter opens the first', async () => {
  const memory = draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Bookmarks' }));
  expect((await screen.findAllByRole('menuitem')).map((item) => item.textContent)).toEqual([
    'Docshttps://docs.example/',
    'InboxWork / /app/inbox',
  ]);
  await userEvent.type(screen.getByRole('searchbox'), 'work in');
  expect(screen.getAllByRole('menuitem')).toHaveLength(1);
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(memory.history.at(-1)).toBe('/inbox'));
});

it('adds the page in view with one click', async () => {
  document.title = '(2) Boards - Pilothouse';
  draw('/boards?x=1');
  document.title = '(2) Boards - Pilothouse';
  await userEvent.click(await screen.findByRole('button', { name: 'Bookmarks' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Add this page' }));
  const body = { name: 'Boards', address: '/app/boards?x=1' };
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/bookmarks', body));
});

it('completes a typed address, and shows why one is rejected', async () => {
  bookmarks = [];
  draw();
  expect(await screen.findByText('No bookmarks')).toBeTruthy();
  const field = screen.getByLabelText('Address');
  await userEvent.type(field, 'javascript:alert(1)');
  api.post.mockRejectedValueOnce(new Error('Use an address that begins with https://.'));
  await userEvent.keyboard('{Enter}');
  expect(await screen.findByText(/Use an address/)).toBeTruthy();
  await userEvent.clear(field);
  await userEvent.type(field, 'example.com{Enter}');
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/bookmarks', { address: 'https://example.com' }));
});

it('moves by keyboard, and deletes with undo', async () => {
  draw();
  const inbox = await screen.findByRole('link', { name: 'Inbox' });
  fireEvent.keyDown(inbox, { key: 'ArrowLeft', altKey: true });
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/bookmarks/b2/reorder', {}));
  fireEvent.keyDown(screen.getByRole('link', { name: 'Docs' }), { key: 'ArrowDown', altKey: true });
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/bookmarks/b1/reorder', {}));
  await userEvent.click(screen.getByRole('button', { name: 'Delete Work' }));
  await waitFor(() => expect(api.delete.mock.lastCall?.[0]).toBe('/bookmarks/f1'));
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/bookmarks/f1/restore'));
});

it('edits a bookmark and moves it into a folder', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Docs' }));
  const name = await screen.findByLabelText('Name');
  await userEvent.clear(name);
  await userEvent.type(name, 'Manual');
  await userEvent.click(screen.getByRole('button', { name: /Folder/ }));
  await userEvent.click(await screen.findByRole('option', { name: 'Work' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const body = { name: 'Manual', address: 'https://docs.example/' };
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/bookmarks/b1', body));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/bookmarks/b1/reorder', { folderId: 'f1' }));
});

it('has no button while the setting is off', async () => {
  isShown = false;
  draw();
  expect(await screen.findByRole('link', { name: 'Docs' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Bookmarks' })).toBeNull();
});
