import { expect, test } from 'vitest';
import { Engine, Superseded, type WorkerLike } from './client';
import type { Answer, BoardHead, FromWorker, Query, ToWorker, WidgetAnswer } from './types';

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
const head = { columns: [] } as unknown as BoardHead;
const answer: Answer = { widgets: [], inertRules: [] };
/** As the worker says it. */
const told = (answer: object, number = 1) => JSON.stringify({ told: number, ...answer });

test('only the newest query is answered', async () => {
  const worker = new FakeWorker();
  const engine = new Engine(() => worker);
  const first = engine.query(query);
  const second = engine.query(query);
  await expect(first).rejects.toBeInstanceOf(Superseded);
  worker.say({
    t: 'answer',
    seq: 1,
    answer: told({ ...answer, inertRules: [{ id: 'old', reason: 'no-value' }] }),
    ms: 1,
  });
  worker.say({ t: 'answer', seq: 2, answer: told(answer), ms: 1 });
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
  worker.say({ t: 'board', id: 'a', rev: '1', head, ms: 1 });
  expect(await board).toBe(head);
  const asked = engine.query(query);
  engine.dropBoard('a');
  engine.rest();
  expect(worker.ended).toBe(false);
  worker.say({ t: 'answer', seq: 1, answer: told(answer), ms: 1 });
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
  workers[1]?.say({ t: 'answer', seq: 2, answer: told(answer), ms: 1 });
  await expect(again).resolves.toEqual(answer);
});

test('what does not depend on the filters is told once', async () => {
  const worker = new FakeWorker();
  const engine = new Engine(() => worker);
  const widgets = [{ id: 'w', kind: 'numbers' }];
  const fixed = { id: 'w', kind: 'numbers', settings: { function: 'count' }, roles: [], cols: {} };
  const rest = {
    state: { name: 'ok' },
    approximate: false,
    reasons: [],
    result: { text: '1' },
  } as unknown as WidgetAnswer;
  const first = engine.query({ ...query, widgets });
  expect(worker.sent.at(-1)).toMatchObject({ widgets: JSON.stringify(widgets), known: 0 });
  worker.say({ t: 'answer', seq: 1, answer: told({ widgets: [{ ...fixed, ...rest }], inertRules: [] }, 7), ms: 1 });
  await expect(first).resolves.toEqual({ widgets: [{ ...fixed, ...rest }], inertRules: [] });

  const second = engine.query({ ...query, widgets, now: 1 });
  expect(worker.sent.at(-1)).toMatchObject({ query: { now: 1 }, known: 7 });
  const reach = [{ rule: 'r', boards: 1, of: 2 }];
  worker.say({
    t: 'answer',
    seq: 2,
    answer: told(
      {
        pieces: [reach],
        widgets: [{ boards: [1, 2], items: [3, 4, 7], reach: 0, result: { text: '2' } }],
        inertRules: [],
      },
      8,
    ),
    ms: 1,
  });
  const coverage = {
    boardsUsed: 1,
    boardsTotal: 2,
    itemsUsed: 3,
    itemsSkipped: 4,
    itemsTotal: 7,
    skippedWhy: [],
    inertRules: [],
    reach,
  };
  await expect(second).resolves.toEqual({
    widgets: [{ ...fixed, ...rest, coverage, result: { text: '2' } }],
    inertRules: [],
  });
  void engine.query({ ...query, widgets, now: 2 }).catch(() => {});
  expect(worker.sent.at(-1)).toMatchObject({ known: 8 });

  // A new worker has told nothing yet.
  engine.close();
  void engine.query({ ...query, widgets }).catch(() => {});
  expect(worker.sent.at(-1)).toMatchObject({ known: 0 });
});

test('a query that the engine refuses is rejected with its words', async () => {
  const worker = new FakeWorker();
  const engine = new Engine(() => worker);
  const asked = engine.query(query);
  worker.say({ t: 'answer', seq: 1, answer: JSON.stringify({ error: { message: 'no query' } }), ms: 1 });
  await expect(asked).rejects.toThrow('no query');
});
