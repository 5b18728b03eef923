import { expect, test } from 'vitest';
import { Engine, Superseded, type WorkerLike } from './client';
import type { Answer, FromWorker, Query, ToWorker } from './types';

class FakeWorker implements WorkerLike {
  sent: ToWorker[] = [];
  ended = false;
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  postMessage(message: ToWorker) {
    this.sent.push(message);
  }
  terminate() {
    this.ended = true;
  }
  say(data: FromWorker) {
    this.onmessage?.(new MessageEvent('message', { data }));
  }
}

const query: Query = { boards: ['a'], widgets: [], now: 0 };
const answer: Answer = { widgets: [], inertRules: [] };

test('only the newest query is answered', async () => {
  const worker = new FakeWorker();
  const engine = new Engine(() => worker);
  const first = engine.query(query);
  const second = engine.query(query);
  await expect(first).rejects.toBeInstanceOf(Superseded);
  worker.say({ t: 'answer', seq: 1, answer: { ...answer, inertRules: [{ id: 'old', reason: 'no-value' }] }, ms: 1 });
  worker.say({ t: 'answer', seq: 2, answer, ms: 1 });
  await expect(second).resolves.toEqual(answer);
});

test('a worker that was started ahead is the one that is asked', async () => {
  const made: FakeWorker[] = [];
  const engine = new Engine(() => made[made.push(new FakeWorker()) - 1]!);
  engine.start();
  void engine.query(query);
  expect(made.map(({ sent }) => sent.length)).toEqual([1]);
});

test('a worker without boards ends, and one that is still to answer does not', async () => {
  const worker = new FakeWorker();
  const engine = new Engine(() => worker);
  const board = engine.setBoard('a', '1', new ArrayBuffer(1));
  worker.say({ t: 'board', id: 'a', rev: '1', info: { id: 'a', name: 'A', items: 0, columns: 0 }, ms: 1 });
  await board;
  const asked = engine.query(query);
  engine.dropBoard('a');
  engine.rest();
  expect(worker.ended).toBe(false);
  worker.say({ t: 'answer', seq: 1, answer, ms: 1 });
  await asked;
  engine.rest();
  expect(worker.ended).toBe(true);
});

test('a board that is refused is not held', async () => {
  const worker = new FakeWorker();
  const engine = new Engine(() => worker);
  const loading = engine.setBoard('a', '1', new ArrayBuffer(1));
  expect(engine.revision('a')).toBe('1');
  worker.say({ t: 'board-failed', id: 'a', rev: '1', message: 'damaged' });
  await expect(loading).rejects.toThrow('damaged');
  expect(engine.revision('a')).toBeUndefined();
});

test('a broken worker is replaced at the next call', async () => {
  const workers: FakeWorker[] = [];
  const engine = new Engine(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  const asked = engine.query(query);
  workers[0]?.say({ t: 'broken', message: 'unreachable' });
  await expect(asked).rejects.toThrow('unreachable');
  expect(workers[0]?.ended).toBe(true);
  const again = engine.query(query);
  workers[1]?.say({ t: 'answer', seq: 2, answer, ms: 1 });
  await expect(again).resolves.toEqual(answer);
});
