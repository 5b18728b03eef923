/** What the dashboards ask of the engine. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { setPreference } from '@shell/preferences';
import type { BoardInfo, ConnectedBoards } from './boards';
import type { Engine, WidgetAnswer } from './engine';
import { emptyConfig } from './model';
import { MATCHING, NO_PAST, useAnswers } from './useAnswers';

const board: BoardInfo = { id: 'b1', workspaceId: 'w', name: 'Costs', revision: 1, itemCount: 2, columns: [] };
const boards: ConnectedBoards = {
  infos: [board],
  missing: [],
  isLoading: false,
  failed: [],
  revision: '1',
  retry: () => {},
};

afterEach(() => setPreference('me', null));

it('a filter by "Me" is of the member that was chosen in this browser, as on boards; of nobody before', async () => {
  const query = vi.fn<Engine['query']>().mockResolvedValue([]);
  const load = () => Promise.resolve({ query } as unknown as Engine);
  const filters = { v: 1 as const, people: { ids: ['me'], teams: [] }, all: [] };
  const config = { ...emptyConfig(), boardIds: ['b1'], filters };
  const client = new QueryClient({ defaultOptions: { queries: { queryFn: () => new Promise(() => undefined) } } });
  renderHook(() => useAnswers(config, boards, NO_PAST, load), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(query).toHaveBeenCalled());
  expect(query.mock.lastCall![0]).toMatchObject({ filters, me: '' });
  act(() => setPreference('me', 'm1'));
  await waitFor(() => expect(query.mock.lastCall![0].me).toBe('m1'));
});

it('a widget is asked for with its settings just as they are stored', async () => {
  const query = vi.fn<Engine['query']>().mockResolvedValue([]);
  const load = () => Promise.resolve({ query } as unknown as Engine);
  const layout = { x: 0, y: 0, w: 1, h: 1 };
  const settings = { function: 'sum', cols: { value: { b1: [] } }, theirs: { deep: [1] }, kind: 'gantt' };
  const widgets = [
    { id: 'a', kind: 'numbers', title: 'Spent', layout, settings },
    { id: 'b', kind: 'gantt', title: '', layout, settings: {} },
  ];
  const client = new QueryClient({ defaultOptions: { queries: { queryFn: () => new Promise(() => undefined) } } });
  const config = { ...emptyConfig(), boardIds: ['b1'], widgets };
  renderHook(() => useAnswers(config, boards, NO_PAST, load), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(query).toHaveBeenCalled());
  expect(query.mock.lastCall![0].widgets.slice(0, -1)).toEqual([{ ...settings, id: 'a', kind: 'numbers' }]);
});

it('shows the first answers some at a time, and each later one with all others', async () => {
  const layout = { x: 0, y: 0, w: 1, h: 1 };
  const ids = Array.from({ length: 9 }, (_, at) => `w${at}`);
  const answersOf = (value: number) =>
    [...ids, MATCHING].map((id) => ({ id, result: { value } }) as unknown as WidgetAnswer);
  const query = vi.fn<Engine['query']>().mockResolvedValueOnce(answersOf(1)).mockResolvedValueOnce(answersOf(2));
  const load = () => Promise.resolve({ query } as unknown as Engine);
  const client = new QueryClient({ defaultOptions: { queries: { queryFn: () => new Promise(() => undefined) } } });
  const config = {
    ...emptyConfig(),
    boardIds: ['b1'],
    widgets: ids.map((id) => ({ id, kind: 'numbers', title: '', layout, settings: {} })),
  };
  const seen: [shown: number, value: unknown][] = [];
  const { result } = renderHook(
    () => {
      const answers = useAnswers(config, boards, NO_PAST, load);
      const now = [answers.byId.size, (answers.byId.get('w0')?.result as { value?: number } | undefined)?.value] as [
        number,
        unknown,
      ];
      if (now.join() !== seen.at(-1)?.join()) seen.push(now);
      return answers;
    },
    { wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider> },
  );
  await waitFor(() =>
    expect(seen).toEqual([
      [0, undefined],
      [4, 1],
      [8, 1],
      [10, 1],
    ]),
  );
  expect([...result.current.byId.keys()]).toEqual([...ids, MATCHING]);
  act(() => result.current.retry());
  await waitFor(() => expect(seen.slice(4)).toEqual([[10, 2]]));
});
