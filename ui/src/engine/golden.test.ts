import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { EngineModule } from './module';
import type { Query, ToldAnswer, WidgetAnswer } from './types';

const root = resolve(fileURLToPath(import.meta.url), '../../../..');
const file = (path: string) => readFileSync(resolve(root, path));
const golden = (name: string) => file(`crates/widgets/golden/${name}`);
const boards = JSON.parse(golden('boards.json').toString()) as { board: { id: string }; items: unknown[] }[];
const queries = JSON.parse(golden('queries.json').toString()) as unknown[];
const answers = golden('answers.jsonl').toString().trimEnd().split('\n');

let engine: EngineModule;

beforeAll(async () => {
  // Built by `cargo xtask wasm`.
  const { instance } = await WebAssembly.instantiate(file('ui/public/engine/widgets.wasm'), {});
  engine = new EngineModule(instance);
  for (const { board, items } of boards) {
    expect(engine.load(golden(`${board.id}.arrow`))).toMatchObject({ board: { id: board.id, items: items.length }, head: { board: { id: board.id }, linked: expect.any(Array) } });
  }
  for (const [name, history] of Object.entries(JSON.parse(golden('histories.json').toString()) as object)) expect(engine.setHistory(name, history)).toEqual({});
});

test.each(queries.map((query, index) => [index, query] as const))('query %i is answered as natively', (index, query) => {
  expect(engine.queryText(JSON.stringify(query))).toBe(answers[index]);
});

test.each(queries.map((query, index) => [index, query as Query] as const))('query %i is answered alike where its widgets lie apart', (index, { widgets, ...query }) => {
  const text = JSON.stringify(widgets);
  const { fixed, ...whole } = JSON.parse(engine.ask(query, text, 0)) as ToldAnswer;
  expect(whole).toEqual(JSON.parse(answers[index]!));
  // Who knows what is fixed is told the rest.
  const rest = JSON.parse(engine.ask(query, text, fixed)) as ToldAnswer;
  expect(rest.fixed).toBe(fixed);
  const again = rest.widgets.map((widget, at) => {
    expect(Object.keys(widget)).not.toEqual(expect.arrayContaining(['id']));
    const { id, kind, settings, roles, cols, result } = whole.widgets[at] as WidgetAnswer;
    const sprints = kind === 'burndown' && result && 'sprints' in result ? { sprints: result.sprints } : {};
    const fixed = { id, kind, ...(settings && { settings }), roles, cols };
    return { ...fixed, ...widget, ...(widget.result && { result: { ...sprints, ...widget.result } }) };
  });
  expect(again).toEqual(whole.widgets);
});

test('what is no board and no query is said', () => {
  expect(engine.load(new Uint8Array([1, 2, 3]))).toMatchObject({ error: { message: expect.stringContaining('damaged') } });
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
  const query = (queries as Query[]).find(({ widgets }) => widgets.some((widget) => (widget as { id: string }).id === 'n-count'))!;
  const items = engine.items(query, { widget: 'n-count', offset: 1, limit: 2 });
  expect(items).toMatchObject({ items: [{ boardId: 'alpha', itemId: 'alpha-1', name: 'Task 1' }, { itemId: 'alpha-2' }] });
  expect(engine.items(query, { widget: 'nowhere' })).toHaveProperty('error.message');
});

test('a board is forgotten', () => {
  expect(engine.drop('beta')).toBe(true);
  expect(engine.drop('beta')).toBe(false);
});
