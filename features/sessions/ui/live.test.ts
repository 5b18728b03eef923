import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Feed } from './live';

type Get = (path: string, options?: { query?: Record<string, number | undefined> }) => Promise<unknown>;
const get = vi.fn<Get>();
const open = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<Get>) => get(...args) },
  authFetch: (path: string, init: RequestInit) => open(path, init),
}));

/** What the program has written down. */
let last = 0;
const said = (number: number) => ({
  number,
  at: '2026-01-02T03:04:05Z',
  body: { entry: 'prompt', content: [{ type: 'text', text: `p${number}` }] },
});
const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => said(from + at));

/** A stream whose events the test tells. */
function stream() {
  let tell!: (name: string, data: unknown) => void;
  const body = new ReadableStream<Uint8Array>({
    start: (out) => {
      tell = (name, data) => out.enqueue(new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
    },
  });
  open.mockImplementation((_, { signal }) => {
    const answer = new Response(body, { status: 200 });
    return signal?.aborted ? Promise.reject(new Error('aborted')) : Promise.resolve(answer);
  });
  return (name: string, data: unknown) => tell(name, data);
}

let stop: (() => void) | null = null;
function follow(at: number | null = null) {
  const feed = new Feed('s1', at);
  stop = feed.listen(() => {});
  return feed;
}
const texts = (feed: Feed) => feed.shown.rows.map((row) => row.number);

beforeEach(() => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  get.mockReset().mockImplementation((path, options) => {
    if (!path.includes('/transcript')) return Promise.resolve({ id: 's1', state: 'running', changedAt: '1' });
    const { before, after, limit = 200 } = options?.query ?? {};
    const entries = before
      ? range(Math.max(1, before - limit), before - 1)
      : after !== undefined
        ? range(after + 1, Math.min(last, after + limit))
        : range(Math.max(1, last - limit + 1), last);
    return Promise.resolve({ entries, last });
  });
  open.mockReset();
});
afterEach(() => {
  stop?.();
  stop = null;
});

it('opens a transcript of any length by reading its newest part alone', async () => {
  last = 100_000;
  stream();
  const feed = follow();
  await vi.waitFor(() => expect(feed.shown.isRead).toBe(true));
  expect([texts(feed).length, texts(feed).at(-1), feed.shown.hasOlder]).toEqual([200, 100_000, true]);
  await feed.older();
  expect([texts(feed).length, texts(feed)[0]]).toEqual([400, 99_601]);
});

it('shows what is told at once, in order, and reads again where something is missing', async () => {
  last = 3;
  const tell = stream();
  const feed = follow();
  await vi.waitFor(() => expect(open).toHaveBeenCalledWith('/sessions/s1/stream?after=3', expect.anything()));
  tell('entries', { entries: [said(4)] });
  await vi.waitFor(() => expect(texts(feed)).toEqual([1, 2, 3, 4]));
  last = 8;
  tell('entries', { entries: [said(8)] });
  await vi.waitFor(() => expect(texts(feed)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]));
});

it('reads again where too much was missed', async () => {
  last = 1;
  const tell = stream();
  const feed = follow();
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  last = 500;
  tell('reset', {});
  await vi.waitFor(() => expect(texts(feed).at(-1)).toBe(201));
  expect(feed.shown.hasNewer).toBe(true);
  await feed.newer();
  await feed.newer();
  expect([texts(feed).at(-1), feed.shown.hasNewer]).toEqual([500, false]);
});

it('jumps to the beginning and back to the end, without what lies between', async () => {
  last = 1_000;
  stream();
  const feed = follow();
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  const older = feed.older();
  await feed.jump('first');
  await older;
  expect([texts(feed)[0], texts(feed).at(-1), feed.shown.hasOlder, feed.shown.hasNewer, feed.shown.place.at]).toEqual([
    1,
    200,
    false,
    true,
    1,
  ]);
  await feed.jump('last');
  expect([texts(feed)[0], texts(feed).at(-1), feed.shown.hasOlder, feed.shown.hasNewer, feed.shown.place.at]).toEqual([
    801,
    1_000,
    true,
    false,
    null,
  ]);
});

it('begins around what was searched for, and does not mix in what happens far behind', async () => {
  last = 1_000;
  const tell = stream();
  const feed = follow(500);
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  expect([texts(feed)[0], texts(feed).at(-1), feed.shown.hasNewer]).toEqual([401, 600, true]);
  tell('entries', { entries: [said(1_001)] });
  tell('session', { id: 's1', state: 'idle', changedAt: '2' });
  await vi.waitFor(() => expect(feed.shown.session?.state).toBe('idle'));
  expect(texts(feed).at(-1)).toBe(600);
});

it('holds no connection while the window has no focus', async () => {
  vi.mocked(document.hasFocus).mockReturnValue(false);
  last = 1;
  const feed = follow();
  await vi.waitFor(() => expect(feed.shown.isRead).toBe(true));
  last = 2;
  await vi.waitFor(() => expect(texts(feed)).toEqual([1, 2]), { timeout: 5_000 });
  expect(open).not.toHaveBeenCalled();
});

it('tells how far it has read, also where no row shows it', async () => {
  last = 1;
  const tell = stream();
  const feed = follow();
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  tell('entries', { entries: [{ number: 2, at: '', body: { entry: 'state', state: { state: 'idle' } } }] });
  await vi.waitFor(() => expect(feed.shown.last).toBe(2));
  expect(texts(feed)).toEqual([1]);
});

it('says why there is nothing to show', async () => {
  get.mockRejectedValue(new Error('gone'));
  const feed = follow();
  await vi.waitFor(() => expect(feed.shown.error).toBeInstanceOf(Error));
});
