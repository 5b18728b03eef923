import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WorkerReply, WorkerRequest } from './workerFetch';

/** Stands in for the worker: keeps what it is asked, and says what a test tells it to. */
class FakeWorker {
  static all: FakeWorker[] = [];
  asked: WorkerRequest[] = [];
  isEnded = false;
  onmessage: ((event: { data: WorkerReply }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  constructor() {
    FakeWorker.all.push(this);
  }
  postMessage(message: WorkerRequest) {
    this.asked.push(message);
  }
  terminate() {
    this.isEnded = true;
  }
  say(data: WorkerReply) {
    this.onmessage?.({ data });
  }
}

let api: typeof import('./api');
const read = (path: string, signal?: AbortSignal) =>
  api.request('GET', path, { isLarge: true, ifNoneMatch: '"6"', ...(signal && { signal }) });
const worker = (at = 0) => FakeWorker.all[at]!;

beforeEach(async () => {
  vi.resetModules();
  FakeWorker.all = [];
  vi.stubGlobal('Worker', FakeWorker);
  sessionStorage.setItem('pilothouse.token', 'ph_own_secret');
  api = await import('./api');
});
afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

it('asks with the token, and hands on the bytes that the worker read, whichever come first', async () => {
  const [one, two] = [read('/boards/1/full'), read('/boards/2/full')];
  const [first, second] = worker().asked;
  expect(first).toMatchObject({
    path: '/boards/1/full',
    headers: expect.arrayContaining([
      ['authorization', 'Bearer ph_own_secret'],
      ['if-none-match', '"6"'],
    ]) as unknown,
  });
  const [bytes, others] = [new ArrayBuffer(8), new ArrayBuffer(16)];
  worker().say({ id: second!.id, status: 200, headers: [['ETag', '"2"']], body: others });
  worker().say({ id: first!.id, status: 304, headers: [], body: bytes });
  expect((await one).body).toBe(bytes);
  expect((await one).status).toBe(304);
  expect((await two).body).toBe(others);
  expect((await two).headers.get('ETag')).toBe('"2"');
});

it('says what was refused in the words of the program, and that a refused token is none', async () => {
  const asked = read('/boards/1/full');
  const body = new TextEncoder().encode(JSON.stringify({ code: 'unauthorized', detail: 'Sign in.' })).buffer;
  worker().say({
    id: worker().asked[0]!.id,
    status: 401,
    headers: [['Content-Type', 'application/problem+json']],
    body,
  });
  await expect(asked).rejects.toMatchObject({ status: 401, message: 'Sign in.' });
  expect(sessionStorage.getItem('pilothouse.token')).toBeNull();
});

it('takes an answer that breaks off for none', async () => {
  const asked = read('/boards/1/full');
  worker().say({ id: worker().asked[0]!.id, failure: 'Failed to fetch' });
  await expect(asked).rejects.toMatchObject({ status: 0, code: 'unreachable' });
});

it('stops what nobody waits for any more', async () => {
  const stop = new AbortController();
  const asked = read('/boards/1/full', stop.signal);
  const { id } = worker().asked[0]!;
  stop.abort();
  await expect(asked).rejects.toBe(stop.signal.reason);
  expect(worker().asked).toEqual([expect.objectContaining({ id }), { id, stop: true }]);
  // It may have been read to its end already.
  worker().say({ id, status: 200, headers: [], body: new ArrayBuffer(0) });
});

it('starts another worker after one that broke, and lets nobody wait for that one', async () => {
  const asked = read('/boards/1/full');
  worker().onerror?.({ message: 'it could not be fetched' });
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' });
  expect(worker().isEnded).toBe(true);
  const again = read('/boards/1/full');
  worker(1).say({ id: worker(1).asked[0]!.id, status: 200, headers: [], body: new ArrayBuffer(4) });
  expect((await again).body.byteLength).toBe(4);
});
