import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { EngineModule } from './module';
import { Told } from './told';
import type { Answer, Query, QueryOfWidgets, ToldAnswer } from './types';

const root = resolve(fileURLToPath(import.meta.url), '../../../..');
const file = (path: string) => readFileSync(resolve(root, path));
const golden = (name: string) => file(`crates/widgets/golden/${name}`);
const boards = JSON.parse(golden('boards.json').toString()) as { board: { id: string }; items: unknown[] }[];
const queries = JSON.parse(golden('queries.json').toString()) as unknown[];
const answers = golden('answers.jsonl').toString().trimEnd().split('\n');

/** How a large board is made of a small one: these bytes of its stream come so often. */
const recipe = JSON.parse(golden('large.json').toString()) as Record<
  string,
  { from: number; to: number; times: number }
>;
const answersLarge = golden('answers-large.jsonl').toString().trimEnd().split('\n');

let engine: EngineModule;

/** An engine with each board's items so many times. */
async function engineOf(timesOf: (id: string) => number): Promise<EngineModule> {
  // Built by `cargo xtask wasm`.
  const { instance } = await WebAssembly.instantiate(file('ui/public/engine/widgets.wasm'), {});
  const engine = new EngineModule(instance);
  for (const { board, items } of boards) {
    const [stream, { from, to }, times] = [golden(`${board.id}.arrow`), recipe[board.id]!, timesOf(board.id)];
    const batches = Array.from({ length: times }, () => stream.subarray(from, to));
    const loaded = engine.load(Buffer.concat([stream.subarray(0, from), ...batches, stream.subarray(to)]));
    expect(loaded).toMatchObject({
      board: { id: board.id, items: items.length * times },
      head: { board: { id: board.id }, linked: expect.any(Array) },
    });
  }
  for (const [name, history] of Object.entries(JSON.parse(golden('histories.json').toString()) as object))
    expect(engine.setHistory(name, history)).toEqual({});
  return engine;
}

beforeAll(async () => {
  engine = await engineOf(() => 1);
});

test.each(queries.map((query, index) => [index, query] as const))(
  'query %i is answered as natively',
  (index, query) => {
    expect(engine.queryText(JSON.stringify(query))).toBe(answers[index]);
  },
);

test.each(queries.map((query, index) => [index, query as Query] as const))(
  'query %i is answered alike where its widgets lie apart',
  (index, { widgets, ...query }) => {
    const text = JSON.stringify(widgets);
    const expected = JSON.parse(answers[index]!) as Answer;
    const told = new Told();
    const ask = (of: QueryOfWidgets = query) => JSON.parse(engine.ask(of, text, told.number)) as ToldAnswer;
    expect(told.whole(ask())).toEqual(expected);
    // Who has been told that much is told the rest, and the pieces but once.
    const rest = ask();
    expect(JSON.stringify(rest.widgets)).not.toContain('"cols"');
    expect(told.whole(rest)).toEqual(expected);
    const number = told.number;
    const again = ask();
    expect(again).toMatchObject({ told: number, pieces: [] });
    expect(told.whole(again)).toEqual(expected);
    // Other items bring other pieces.
    const people = { ids: ['none'] };
    const filtered = { ...query, filters: { v: 1, all: [], ...query.filters, people } } satisfies QueryOfWidgets;
    expect(told.whole(ask(filtered))).toEqual(JSON.parse(engine.queryText(JSON.stringify({ ...filtered, widgets }))));
    expect(told.whole(ask())).toEqual(expected);
    // Who comes without the number is told everything.
    expect(new Told().whole(JSON.parse(engine.ask(query, text, 0)) as ToldAnswer)).toEqual(expected);
    expect(told.whole(ask())).toEqual(expected);
  },
);

test('queries over many items, which are counted beforehand, are answered as natively', async () => {
  const large = await engineOf((id) => recipe[id]!.times);
  for (const [index, query] of queries.entries()) {
    // Asked again it reads off what it has counted.
    for (const _time of [1, 2])
      expect(large.queryText(JSON.stringify(query)), `query ${index}`).toBe(answersLarge[index]);
  }
});

test('what is no board and no query is said', () => {
  expect(engine.load(new Uint8Array([1, 2, 3]))).toMatchObject({
    error: { message: expect.stringContaining('damaged') },
  });
  expect(JSON.parse(engine.queryText('{"boards": 3}'))).toHaveProperty('error.message');
  expect(JSON.parse(engine.ask({ boards: 3 } as never, '[]', 0))).toHaveProperty('error.message');
});

test('what is remembered in another form is as nothing', () => {
  expect(engine.setHistory('broken', { alpha: [{ by: 3 }], beta: 7 })).toEqual({});
  const [query] = queries.slice(-1) as Query[];
  const of = (history: string) => engine.queryText(JSON.stringify({ ...query, history }));
  expect(of('broken')).toBe(of('nobody'));
  expect(of('broken')).not.toBe(of('golden'));
});

test('columns are mapped', () => {
  const mapping = engine.autoMap(['alpha', 'beta'], { id: 'w', kind: 'numbers' });
  expect(mapping).toMatchObject({ cols: { value: { alpha: ['alpha-n'], beta: ['beta-n'] } } });
});

test('the items behind a part are told', () => {
  const query = (queries as Query[]).find(({ widgets }) =>
    widgets.some((widget) => (widget as { id: string }).id === 'n-count'),
  )!;
  const items = engine.items(query, { widget: 'n-count', offset: 1, limit: 2 });
  expect(items).toMatchObject({
    items: [{ boardId: 'alpha', itemId: 'alpha-1', name: 'Task 1' }, { itemId: 'alpha-2' }],
  });
  expect(engine.items(query, { widget: 'nowhere' })).toHaveProperty('error.message');
});

test('a board is forgotten', () => {
  expect(engine.drop('beta')).toBe(true);
  expect(engine.drop('beta')).toBe(false);
});
