import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const fetch = vi.fn<typeof globalThis.fetch>();
const tries = () => fetch.mock.calls.filter(([input]) => String(input) === '/events').length;
let stop: AbortController;
let api: typeof import('./api').api;
let live: typeof import('./live');

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal(
    'fetch',
    fetch
      .mockReset()
      .mockImplementation((input) =>
        String(input) === '/events' ? Promise.reject(new TypeError('refused')) : Promise.resolve(new Response('{}')),
      ),
  );
  ({ api } = await import('./api'));
  live = await import('./live');
  stop = new AbortController();
});
const begin = async () => {
  void live.follow(stop.signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(tries()).toBe(1);
};
/** A stream that is open until its request is aborted. */
const opens = () => {
  fetch.mockImplementation((input, init) => {
    if (String(input) !== '/events') return Promise.resolve(new Response('{}'));
    const body = new ReadableStream({
      start(stream) {
        init?.signal?.addEventListener('abort', () => stream.error(new DOMException('aborted', 'AbortError')));
      },
    });
    return Promise.resolve(new Response(body));
  });
};
const lastEventId = () => new Headers(fetch.mock.calls.at(-1)?.[1]?.headers).get('Last-Event-ID');
const show = (state: 'hidden' | 'visible') => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(state === 'hidden');
  document.dispatchEvent(new Event('visibilitychange'));
};
afterEach(() => {
  stop.abort();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it.each<[string, () => unknown]>([
  ['an answer comes', () => api.get('/boards')],
  ['the page is looked at', () => window.dispatchEvent(new Event('focus'))],
  ['the network is back', () => window.dispatchEvent(new Event('online'))],
])('tries the stream at once when %s', async (_, happens) => {
  await begin();
  await happens();
  await vi.advanceTimersByTimeAsync(0);
  expect(tries()).toBe(2);
});

it('waits where nothing answers', async () => {
  await begin();
  fetch.mockRejectedValue(new TypeError('refused'));
  await api.get('/boards').catch(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(tries()).toBe(1);
});

it('lets nothing be read before the stream is open, and reads again what was read while it was away', async () => {
  const again = vi.fn();
  live.onResync(again);
  const { result } = renderHook(() => live.useConnection());
  expect(result.current).toBe('connecting');
  await act(begin);
  expect(result.current).toBe('lost');
  opens();
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(result.current).toBe('live');
  expect(again).toHaveBeenCalledOnce();
});

it('reads nothing again where the first stream opens at once', async () => {
  const again = vi.fn();
  live.onResync(again);
  opens();
  await begin();
  expect(again).not.toHaveBeenCalled();
});

it('gives its connection to other tabs while nobody looks, and is back with the first look', async () => {
  opens();
  const { result } = renderHook(() => live.useConnection());
  await act(begin);
  const request = fetch.mock.calls.at(-1)?.[1];
  show('hidden');
  await vi.advanceTimersByTimeAsync(2_000);
  show('visible');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(request?.signal?.aborted).toBe(false);
  show('hidden');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(request?.signal?.aborted).toBe(true);
  expect(tries()).toBe(1);
  show('visible');
  await vi.advanceTimersByTimeAsync(0);
  expect(tries()).toBe(2);
  expect(result.current).toBe('live');
});

it("isn't connected while the browser is offline, and reconnects when it's online", async () => {
  opens();
  const { result } = renderHook(() => live.useConnection());
  await act(begin);
  expect(result.current).toBe('live');
  fetch.mockRejectedValue(new TypeError('offline'));
  await act(async () => {
    window.dispatchEvent(new Event('offline'));
    await vi.advanceTimersByTimeAsync(2_000);
  });
  expect(result.current).toBe('lost');
  opens();
  await act(async () => {
    window.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(0);
  });
  expect(result.current).toBe('live');
});

it('comes back from where it was told to, and reads nothing again', async () => {
  const again = vi.fn();
  live.onResync(again);
  fetch.mockImplementation(() => Promise.resolve(new Response('id: run-7\n\n')));
  await begin();
  await vi.advanceTimersByTimeAsync(700);
  expect(tries()).toBe(2);
  expect(new Headers(fetch.mock.calls[1]?.[1]?.headers).get('Last-Event-ID')).toBe('run-7');
  expect(again).not.toHaveBeenCalled();
});

it('who signs in next begins anew: behind no event of the one before, and without their connection', async () => {
  fetch.mockImplementation(() => Promise.resolve(new Response('id: run-7\n\n')));
  const { result } = renderHook(() => live.useConnection());
  await act(begin);
  expect(result.current).toBe('lost');
  act(() => stop.abort());
  expect(result.current).toBe('connecting');
  stop = new AbortController();
  void live.follow(stop.signal);
  expect(lastEventId()).toBeNull();
});

it('reads everything again when the program no longer has what was missed', async () => {
  const again = vi.fn();
  live.onResync(again);
  fetch.mockImplementation(() => Promise.resolve(new Response('id: run-7\nevent: reset\ndata: {}\n\n')));
  await begin();
  expect(again).toHaveBeenCalledOnce();
});

it('waits longer each time, and after an event as short as at first', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  await begin();
  /** Waits until the next try; how long that was. */
  const waited = async () => {
    const before = tries();
    let ms = 0;
    for (; tries() === before; ms += 100) await vi.advanceTimersByTimeAsync(100);
    return ms;
  };
  const gaps: number[] = [];
  for (let i = 0; i < 7; i++) gaps.push(await waited());
  expect(gaps).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  const refuse = fetch.getMockImplementation()!;
  fetch.mockImplementation(() => Promise.resolve(new Response('id: run-8\nevent: board-changed\ndata: {}\n\n')));
  await waited();
  fetch.mockImplementation(refuse);
  expect([await waited(), await waited()]).toEqual([500, 1000]);
});

it('listens for looks at the page only while a stream is open', async () => {
  const [add, remove] = [vi.spyOn(document, 'addEventListener'), vi.spyOn(document, 'removeEventListener')];
  const looks = (spy: typeof add | typeof remove) =>
    spy.mock.calls.filter(([name]) => name === 'visibilitychange').map(([, listener]) => listener);
  await begin();
  expect(looks(add)).toHaveLength(1);
  expect(looks(remove)).toEqual(looks(add));
});
