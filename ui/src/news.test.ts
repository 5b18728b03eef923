import { QueryObserver, type QueryKey } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { features } from './features';
import { followNews } from './news';
import { makeQueryClient } from './query';

const live = vi.hoisted(() => new Map<string, Set<(ids: object) => void>>());
vi.mock('./live', async (original) => ({
  ...(await original<object>()),
  onEvent: (name: string, handler: (ids: object) => void) => {
    live.set(name, (live.get(name) ?? new Set()).add(handler));
    return () => live.get(name)?.delete(handler);
  },
}));
const tell = (name: string, ids: object) => live.get(name)?.forEach((handler) => handler(ids));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A shown query whose answers take a while; how often it was asked, and what it shows. */
function shown(queryKey: QueryKey) {
  const client = makeQueryClient();
  const aborted = vi.fn();
  const ask = vi.fn(async ({ signal }: { signal: AbortSignal }) => {
    signal.addEventListener('abort', aborted);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return ask.mock.calls.length;
  });
  const observer = new QueryObserver(client, { queryKey, queryFn: ask, staleTime: Infinity });
  const seen = new Set<number | undefined>();
  const hide = observer.subscribe(({ data }) => seen.add(data));
  const stop = followNews(client, features);
  return { client, ask, aborted, seen, hide, stop };
}

it.each<[QueryKey, string]>([
  [['dashboards', 'items', 'b1'], 'board-changed'],
  [['dashboards', 'board', 'b1'], 'board-changed'],
  [['dashboards', 'boards', 'w'], 'board-deleted'],
  [['dashboards', 'list', 'w'], 'dashboard-changed'],
  [['dashboards', 'publication', 'd1'], 'dashboard-publication-changed'],
  [['dashboards', 'apps'], 'dashboard-apps-changed'],
  [['boards', 'w'], 'board-changed'],
  [['trash', { workspace: 'w' }], 'board-deleted'],
  [['board-views', 'b1'], 'board-views-changed'],
  [['members'], 'members-changed'],
  [['board', 'b1'], 'members-changed'],
])('%j moves under steady news, and is read only now and then', async (key, event) => {
  const { ask, aborted, seen, hide, stop } = shown(key);
  for (let ms = 0; ms < 6000; ms += 50) {
    await vi.advanceTimersByTimeAsync(50);
    tell(event, { boardId: 'b1', dashboardId: 'd1' });
  }
  expect(seen.size).toBeGreaterThan(5);
  expect(ask.mock.calls.length).toBeLessThan(12);
  // The last news is read too.
  const before = ask.mock.calls.length;
  await vi.advanceTimersByTimeAsync(2000);
  expect(ask.mock.calls.length).toBeGreaterThan(before);
  const after = ask.mock.calls.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ask.mock.calls.length).toBe(after);
  expect(aborted).not.toHaveBeenCalled();
  hide();
  stop();
});

it('what is not shown is only marked old, and read when it is', async () => {
  const { client, ask, hide, stop } = shown(['dashboards', 'items', 'b1']);
  await vi.advanceTimersByTimeAsync(400);
  hide();
  for (let i = 0; i < 100; i++) tell('board-changed', { boardId: 'b1' });
  await vi.advanceTimersByTimeAsync(5000);
  expect(ask).toHaveBeenCalledOnce();
  const leave = new QueryObserver(client, {
    queryKey: ['dashboards', 'items', 'b1'],
    queryFn: ask,
    staleTime: Infinity,
  }).subscribe(() => {});
  expect(ask).toHaveBeenCalledTimes(2);
  leave();
  stop();
});

it('news of another board is none, nor is any once it is not followed', async () => {
  const { ask, hide, stop } = shown(['dashboards', 'items', 'b1']);
  await vi.advanceTimersByTimeAsync(400);
  tell('board-changed', { boardId: 'b2' });
  stop();
  tell('board-changed', { boardId: 'b1' });
  await vi.advanceTimersByTimeAsync(5000);
  expect(ask).toHaveBeenCalledOnce();
  hide();
});
