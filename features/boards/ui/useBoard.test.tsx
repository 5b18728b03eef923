/** An open board follows what changes. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { useBoard } from './useBoard';

const ask = vi.hoisted(() => ({ whole: vi.fn<() => Promise<unknown>>(), changed: vi.fn<() => Promise<unknown>>() }));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  request: ask.whole,
  api: { get: ask.changed },
}));
vi.mock('@shell/live', async (original) => ({ ...(await original<object>()), useLiveEvent: () => undefined }));
vi.mock('./outbox/kept', () => ({ kept: () => Promise.resolve([]), keepOnly: () => Promise.resolve() }));

const groups = [{ id: 'g1', name: 'All' }];
const board = (revision: number) => ({
  id: 'b',
  workspaceId: 'w',
  name: 'Board',
  revision,
  itemCount: 1,
  updatedAt: '2026-03-01T12:00:00.000Z',
});
function whole() {
  const table = tableFromArrays(
    { id: ['i1'], groupId: ['g1'], name: ['One'] },
    { types: { id: utf8(), groupId: utf8(), name: utf8() } },
  );
  table.schema.metadata = new Map([['board', JSON.stringify({ board: board(1), groups, columns: [], members: [] })]]);
  return { status: 200, headers: new Headers(), body: tableToIPC(table, { format: 'stream' })!.slice().buffer };
}

it('asks for a few changes behind one another at once, and for a stream of them ten times a second', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: false });
  try {
    ask.whole.mockImplementation(() => Promise.resolve(whole()));
    ask.changed.mockClear().mockImplementation(() =>
      Promise.resolve({
        board: board(1),
        groups,
        columns: [],
        members: [],
        items: [],
        moved: [],
        removed: [],
        reload: false,
      }),
    );
    const client = new QueryClient();
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    );
    const { result } = renderHook(() => useBoard('b'), { wrapper });
    await act(() => vi.advanceTimersByTimeAsync(10));
    expect(result.current.table).toBeDefined();
    const followed = async (ms: number) => {
      const before = ask.changed.mock.calls.length;
      for (let now = 0; now < ms; now += 5) {
        void result.current.follow();
        await act(() => vi.advanceTimersByTimeAsync(5));
      }
      return ask.changed.mock.calls.length - before;
    };
    expect(await followed(15)).toBe(3);
    // By now nothing is ahead any more, and each waits for its turn.
    await followed(200);
    const many = await followed(1_000);
    expect([many >= 9, many <= 11]).toEqual([true, true]);
  } finally {
    vi.useRealTimers();
  }
});

it('has what was changed once it was waited for, also where another reading was under way', async () => {
  const answers: ((titles: string[]) => Promise<void>)[] = [];
  ask.whole.mockImplementation(() => Promise.resolve(whole()));
  ask.changed.mockImplementation(
    () =>
      new Promise((resolve) => {
        const changed = (titles: string[]) => ({
          board: board(1 + titles.length),
          groups,
          columns: titles.map((title, at) => ({ id: `c${at}`, title, type: 'text', settings: {} })),
          members: [],
          items: [],
          moved: [],
          removed: [],
          reload: false,
        });
        answers.push((titles) => act(async () => resolve(changed(titles))));
      }),
  );
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useBoard('b'), { wrapper });
  await waitFor(() => expect(result.current.table).toBeDefined());
  const titles = () => result.current.table!.meta.columns.map(({ title }) => title);
  const seen: Record<string, string[]> = {};
  // The first reading began before the change that is waited for was made.
  for (const who of ['before', 'after'])
    await act(async () => void result.current.follow().then(() => (seen[who] = titles())));
  await waitFor(() => expect(answers).toHaveLength(1));
  await answers[0]!([]);
  await waitFor(() => expect(answers).toHaveLength(2));
  expect(seen).toEqual({ before: [] });
  await answers[1]!(['Added']);
  await waitFor(() => expect(seen).toEqual({ before: [], after: ['Added'] }));
});
