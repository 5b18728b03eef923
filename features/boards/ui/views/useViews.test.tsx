import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, renderHook, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import { boxOf } from '../outbox/box';
import { viewsKey, type View } from './data';
import { useViews } from './useViews';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = vi.hoisted(() => ({
  get: vi.fn<Send>(),
  post: vi.fn<Send>(),
  patch: vi.fn<Send>(),
  delete: vi.fn<Send>(),
}));
vi.mock('@shell/api', async (original) => ({ ...(await original<object>()), api }));

const view = (id: string, name: string): View => ({ id, name, kind: 'table', settings: {}, revision: 1 });
let cache: QueryClient;
/** What the program was asked for, in its order. */
let asked: string[];
let stored: View[];

beforeEach(() => {
  asked = [];
  stored = [view('v1', 'One'), view('v2', 'Two')];
  cache = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  cache.setQueryData(viewsKey('b'), stored);
  api.get.mockImplementation(() => Promise.resolve({ items: stored }));
  api.delete.mockImplementation((path) => {
    asked.push(`delete ${path}`);
    return Promise.resolve({ changeId: 'x' });
  });
  api.patch.mockImplementation((path, body) => {
    asked.push(`patch ${path} ${JSON.stringify(body)}`);
    stored = stored.map((one) =>
      path.endsWith(one.id) ? { ...one, ...(body as Partial<View>), revision: one.revision + 1 } : one,
    );
    return Promise.resolve({ ...stored.find((one) => path.endsWith(one.id)), changeId: 'x' });
  });
});
afterEach(() => cache.clear());

const opened = () =>
  renderHook(() => useViews('b'), {
    wrapper: ({ children }) => <QueryClientProvider client={cache}>{children}</QueryClientProvider>,
  }).result;

it('a view that is deleted takes along what was changed a moment before', async () => {
  const views = opened();
  act(() => views.current.change({ widths: { name: 300 } }));
  await act(() => views.current.remove(views.current.open));
  expect(asked).toEqual(['patch /boards/b/views/v1 {"settings":{"widths":{"name":300}}}', 'delete /boards/b/views/v1']);
});

it('that a view was renamed is offered to be taken back until it has another name', async () => {
  render(<ToastRegion />);
  const views = opened();
  await act(() => views.current.rename(views.current.open, 'First'));
  expect(screen.queryByText('Renamed view')).not.toBeNull();
  act(() => void cache.setQueryData(viewsKey('b'), [view('v1', 'Other'), view('v2', 'Two')]));
  await waitFor(() => expect(screen.queryByText('Renamed view')).toBeNull());
});

it('a change of what a view shows is taken back before what was done earlier, also in the moment before it is stored', async () => {
  render(<ToastRegion />);
  api.post.mockImplementation((path, body) => {
    asked.push(`post ${path} ${JSON.stringify(body)}`);
    return Promise.resolve({ changeId: 'y' });
  });
  const views = opened();
  await act(async () => views.current.select('v1'));
  await act(() => views.current.rename(views.current.open, 'First'));
  asked = [];
  act(() => views.current.change({ widths: { name: 300 } }));
  const go = (way: 'undo' | 'redo') =>
    act(async () => {
      boxOf('b').go(way);
      for (let at = 0; at < 30; at++) await Promise.resolve();
    });
  await go('undo');
  await go('redo');
  expect(asked).toEqual([
    'patch /boards/b/views/v1 {"settings":{"widths":{"name":300}}}',
    'post /boards/b/undo {"changeId":"x"}',
    'post /boards/b/undo {"changeId":"y"}',
  ]);
  expect(screen.queryByText(/which is not open/)).toBeNull();
  await act(async () => views.current.select('v2'));
  await go('undo');
  expect(screen.queryByText('Undid: widths of the view First, which is not open')).not.toBeNull();
});
