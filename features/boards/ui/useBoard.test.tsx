/** An open board follows what changes. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { useBoard } from './useBoard';

const ask = vi.hoisted(() => ({
  whole: vi.fn<() => Promise<unknown>>(),
  changed: vi.fn<() => Promise<unknown>>(),
  patch: vi.fn<(path: string, body: object) => Promise<unknown>>(),
  hear: (_: { boardId: string; revision: number }) => {},
}));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  request: ask.whole,
  api: { get: ask.changed, patch: ask.patch },
}));
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  useLiveEvent: (name: string, hear: typeof ask.hear) => {
    if (name === 'board-changed') ask.hear = hear;
  },
}));
vi.mock('@shell/recordStore', () => import('@shell/testing/memoryRecords'));

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

it('takes what a step changes from its answer, and asks for what came behind it alone', async () => {
  const changes = (revision: number, name: string) => ({
    board: board(revision),
    groups,
    columns: [],
    members: [],
    items: [{ id: 'i1', groupId: 'g1', name, position: 1, cells: {} }],
    moved: [],
    removed: [],
    reload: false,
  });
  ask.whole.mockImplementation(() => Promise.resolve(whole()));
  ask.changed.mockReset().mockImplementation(() => Promise.resolve(changes(3, 'Three')));
  const answers: (() => Promise<void>)[] = [];
  ask.patch.mockImplementation(
    () =>
      new Promise((resolve) =>
        answers.push(() => act(async () => resolve({ boardRevision: 2, cells: 1, changes: changes(2, 'Two') }))),
      ),
  );
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useBoard('b'), { wrapper });
  await waitFor(() => expect(result.current.table).toBeDefined());
  const shown = () => [result.current.table!.meta.board.revision, result.current.table!.cell(0, 'name')];
  const rename = (before: string, after: string) =>
    act(async () => void result.current.outbox.write({ cells: [{ item: 'i1', column: 'name', before, after }] }));
  const hear = (revision: number) => act(async () => ask.hear({ boardId: 'b', revision }));
  await rename('One', 'Two');
  expect(ask.patch.mock.calls[0]![1]).toMatchObject({ since: 1 });
  // The program tells all pages of the change, this one as well, and before it answers.
  await hear(2);
  await answers[0]!();
  expect(shown()).toEqual([2, 'Two']);
  expect(ask.changed).not.toHaveBeenCalled();
  // Somebody else's change comes behind this one.
  ask.patch.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answers.push(() =>
          act(async () => resolve({ boardRevision: 2, cells: 0, unchanged: true, changes: changes(2, 'Two') })),
        );
      }),
  );
  await rename('Two', 'Zwei');
  await hear(3);
  expect(ask.changed).not.toHaveBeenCalled();
  await answers[1]!();
  await waitFor(() => expect(shown()).toEqual([3, 'Three']));
  expect(ask.changed).toHaveBeenCalledTimes(1);
});
