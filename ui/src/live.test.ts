import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const fetch = vi.fn<typeof globalThis.fetch>();
const tries = () => fetch.mock.calls.filter(([input]) => String(input) === '/events').length;
let stop: AbortController;
let api: typeof import('./api').api;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal(
    'fetch',
    fetch.mockReset().mockImplementation((input) => (String(input) === '/events' ? Promise.reject(new TypeError('refused')) : Promise.resolve(new Response('{}')))),
  );
  ({ api } = await import('./api'));
  const { follow } = await import('./live');
  stop = new AbortController();
  void follow(stop.signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(tries()).toBe(1);
});
afterEach(() => {
  stop.abort();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it.each<[string, () => unknown]>([
  ['an answer comes', () => api.get('/boards')],
  ['the page is looked at', () => window.dispatchEvent(new Event('focus'))],
  ['the network is back', () => window.dispatchEvent(new Event('online'))],
])('tries the stream at once when %s', async (_, happens) => {
  await happens();
  await vi.advanceTimersByTimeAsync(0);
  expect(tries()).toBe(2);
});

it('waits where nothing answers', async () => {
  fetch.mockRejectedValue(new TypeError('refused'));
  await api.get('/boards').catch(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(tries()).toBe(1);
});
