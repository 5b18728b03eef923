import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { makeQueryClient } from '@shell/query';
import { together, useConnectedBoards } from './boards';

const asked = vi.fn<(options: { ifNoneMatch?: string }, path: string) => void>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (path: string) => Promise.resolve(asked({}, path)).then(() => ({ name: 'Read alone' })) },
  request: (_method: string, path: string, options: { ifNoneMatch?: string }) => {
    asked(options, path);
    return Promise.resolve(
      options.ifNoneMatch
        ? { status: 304 }
        : { status: 200, body: new ArrayBuffer(0), headers: new Headers({ ETag: '"1"' }) },
    );
  },
}));
const head = (id: string) => ({
  board: { id, workspaceId: 'w', name: `Board ${id}`, revision: 1, itemCount: 0 },
  groups: [],
  columns: [],
  linked: [],
});
const held = new Set<string>();
const set = vi.fn<(id: string) => Promise<object>>();
beforeEach(() => {
  held.clear();
  asked.mockClear();
  set.mockReset().mockImplementation((id) => Promise.resolve(held.add(id)).then(() => head(id)));
});
vi.mock('./engine', () => ({
  loadEngine: () =>
    Promise.resolve({
      holds: (id: string) => held.has(id),
      setBoard: (id: string) => set(id),
      drop: (id: string) => held.delete(id),
    }),
}));

it('a board that the engine lost with its worker is handed to it again', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { result } = renderHook(() => useConnectedBoards(['b']), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(result.current.isLoading).toBe(false));
  const { revision } = result.current;
  await act(() => client.invalidateQueries());
  expect(asked.mock.lastCall?.[0].ifNoneMatch).toBe('"1"');
  expect(result.current.revision).toBe(revision);
  held.clear();
  act(() => result.current.retry());
  await waitFor(() => expect(result.current.revision).not.toBe(revision));
  expect(asked.mock.lastCall?.[0].ifNoneMatch).toBeUndefined();
  expect(held.has('b')).toBe(true);
});

it('a board that no page shows any more leaves the engine after a while', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const [first, second] = [
    renderHook(() => useConnectedBoards(['b', 'c']), { wrapper }),
    renderHook(() => useConnectedBoards(['c']), { wrapper }),
  ];
  await waitFor(() =>
    expect([first.result.current.isLoading, second.result.current.isLoading]).toEqual([false, false]),
  );
  expect([...held].sort()).toEqual(['b', 'c']);
  first.unmount();
  await act(() => vi.advanceTimersByTimeAsync(59_000));
  expect(held.size).toBe(2);
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect([...held]).toEqual(['c']);
  second.unmount();
  vi.useRealTimers();
});

it('each board is asked for once, at once, and names itself; one that the engine does not take is asked for its name', async () => {
  set.mockImplementation((id) => (id === 'c' ? Promise.reject(new Error('damaged')) : Promise.resolve(head(id))));
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { result } = renderHook(() => useConnectedBoards(['a', 'b', 'c']), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(result.current.failed).toMatchObject([{ id: 'c', name: 'Read alone' }]));
  expect(result.current.infos.map(({ name }) => name)).toEqual(['Board a', 'Board b']);
  expect(asked.mock.calls.map(([, path]) => path)).toEqual([
    '/boards/a/full',
    '/boards/b/full',
    '/boards/c/full',
    '/boards/c',
  ]);
});

it('what changes in a board while it is on its way is read before long', async () => {
  let come = () => {};
  set.mockImplementationOnce((id) => new Promise((resolve) => (come = () => resolve(head(id)))));
  const client = makeQueryClient();
  const { result } = renderHook(() => useConnectedBoards(['b']), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(set).toHaveBeenCalledTimes(1));
  // The news of a change, before its items are there.
  void client.invalidateQueries({ queryKey: ['dashboards', 'items', 'b'] });
  come();
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  await waitFor(() => expect(result.current.isLoading).toBe(false));
});

it('nothing that the page shows is another while items of boards come, until the last are there', () => {
  const [come, coming] = [
    { isPending: false, error: null, data: { etag: null, handed: 7, info: 'Board' } },
    { isPending: true, error: null, data: undefined },
  ];
  const of = (...items: object[]) => together(items as Parameters<typeof together>[0]);
  expect(of(come, coming, coming)).toEqual(of(come, come, coming));
  expect(of(come, come, come)).toEqual({
    isLoading: false,
    errors: [null, null, null],
    infos: ['Board', 'Board', 'Board'],
    revision: '7 7 7',
  });
});
