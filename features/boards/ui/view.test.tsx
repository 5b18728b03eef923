/** Rows of a view, answered by the engine's own module, follow what is set and what is edited. */
import { act, renderHook, waitFor } from '@testing-library/react';
import { dictionary, int32, int64, tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, vi } from 'vitest';
import { Engine, type WorkerLike } from '@shell/engine/client';
import { EngineModule } from '@shell/engine/module';
import type { FromWorker, Rule, ToWorker } from '@shell/engine/types';
import { setPreference } from '@shell/preferences';
import { BoardTable, type Changed } from './table';
import { useViewRows, type ViewSettings } from './view';

vi.mock('@shell/settings', () => ({ useSetting: () => 'monday' }));

/** A worker's work, done in place. */
class InPlace implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  constructor(
    private readonly module: EngineModule,
    readonly sent: string[],
  ) {}
  postMessage(message: ToWorker) {
    this.sent.push(message.t);
    queueMicrotask(() => this.take(message));
  }
  terminate() {}
  private take(message: ToWorker) {
    const say = (data: FromWorker) => this.onmessage?.(new MessageEvent('message', { data }));
    if (message.t === 'board') {
      const result = this.module.load(new Uint8Array(message.buffer));
      if ('error' in result) throw new Error(result.error.message);
      say({ t: 'board', id: message.id, rev: message.rev, head: result.head, ms: 0 });
    } else if (message.t === 'patch') {
      expect(this.module.patch(message.patch)).toEqual({});
    } else if (message.t === 'view') {
      const view = this.module.view(message.query);
      if ('error' in view) say({ t: 'failed', seq: message.seq, message: view.error.message });
      else say({ t: 'viewed', seq: message.seq, view, ms: 0 });
    }
  }
}

let module: EngineModule;
beforeAll(async () => {
  // Built by `cargo xtask wasm`.
  const file = resolve(fileURLToPath(import.meta.url), '../../../../ui/public/engine/widgets.wasm');
  const { instance } = await WebAssembly.instantiate(readFileSync(file), {});
  module = new EngineModule(instance);
});

const at = '2026-03-01T12:00:00.000Z';
const board = (revision: number) => ({
  id: 'b',
  workspaceId: 'w',
  name: 'Board',
  revision,
  itemCount: 3,
  updatedAt: at,
});
const groups = [{ id: 'g1', name: 'To do' }];
const columns = [{ id: 'c1', title: 'Note', type: 'text' as const, settings: {} }];

function read(revision = 4, names = ['Two', 'One', 'Three']): BoardTable {
  const table = tableFromArrays(
    {
      id: names.map((name) => `i-${name}`),
      groupId: names.map(() => 'g1'),
      name: names,
      createdAt: names.map(() => 0),
      updatedAt: names.map(() => 0),
      c1: names.map((_, i) => `note ${i}`),
    },
    {
      types: {
        id: utf8(),
        groupId: dictionary(utf8(), int32()),
        name: utf8(),
        createdAt: int64(),
        updatedAt: int64(),
        c1: utf8(),
      },
    },
  );
  table.schema.metadata = new Map([
    ['board', JSON.stringify({ board: board(revision), groups, columns, members: [] })],
  ]);
  return BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
}

const changed = (over: Partial<Changed>): Changed => ({
  board: board(5),
  groups,
  columns,
  members: [],
  items: [],
  moved: [],
  removed: [],
  reload: false,
  ...over,
});
const byName: ViewSettings = { sort: [{ columnId: 'name' }] };
const noteIs = (value: string): ViewSettings => ({
  filter: { v: 1, people: null, all: [{ id: 'r', col: { by: 'ids', ids: { b: ['c1'] } }, op: 'is', value }] },
});

function mount(first: BoardTable, firstSettings: ViewSettings, totals = false) {
  const sent: string[] = [];
  const engine = new Engine(() => new InPlace(module, sent));
  const hook = renderHook(({ table, settings }) => useViewRows(table, settings, { totals }, engine), {
    initialProps: { table: first, settings: firstSettings },
  });
  const names = () => {
    const { rows, table } = hook.result.current;
    return rows && [...rows].map((row) => table.cell(row, 'name'));
  };
  return { ...hook, sent, names };
}

it('answers rows in order, and none where the view asks for nothing', async () => {
  const table = read();
  const { names, rerender, sent } = mount(table, {});
  expect(names()).toBeNull();
  expect(sent).toEqual([]);
  rerender({ table, settings: byName });
  await waitFor(() => expect(names()).toEqual(['One', 'Three', 'Two']));
  rerender({ table, settings: noteIs('note 1') });
  await waitFor(() => expect(names()).toEqual(['One']));
  rerender({ table, settings: {} });
  expect(names()).toBeNull();
  expect(sent).toEqual(['board', 'view', 'view']);
});

it('follows edits, additions and removals without the board being sent again', async () => {
  let table = read();
  const { names, rerender, sent } = mount(table, byName);
  await waitFor(() => expect(names()).toEqual(['One', 'Three', 'Two']));
  const show = (next: BoardTable) => {
    table = next;
    rerender({ table, settings: byName });
  };
  const edited = (from: BoardTable) =>
    from.with([{ cells: [{ item: 'i-One', column: 'name', after: 'Zero' }], add: [], archive: [], remove: [] }]);
  let held = table;
  show(edited(held));
  // The edit is there at once, the order a moment later.
  expect(names()).toEqual(['Zero', 'Three', 'Two']);
  await waitFor(() => expect(names()).toEqual(['Three', 'Two', 'Zero']));
  const added = { id: 'i-new', groupId: 'g1', name: 'Four', position: 9, createdAt: at, updatedAt: at, cells: {} };
  held = held.patched(changed({ items: [added], removed: ['i-Two'] }))!;
  show(edited(held));
  await waitFor(() => expect(names()).toEqual(['Four', 'Three', 'Zero']));
  show(held);
  await waitFor(() => expect(names()).toEqual(['Four', 'One', 'Three']));
  expect(sent.filter((one) => one === 'board')).toHaveLength(1);
});

it('follows moved items and other columns without the board being sent again', async () => {
  const rule = (col: Rule['col'], op: string, value: unknown): ViewSettings => ({
    filter: { v: 1, people: null, all: [{ id: 'r', col, op, value }] },
  });
  const all = rule({ by: 'builtin', name: 'name' }, 'isNot', 'nothing');
  const first = read();
  const { names, rerender, sent } = mount(first, all);
  await waitFor(() => expect(names()).toEqual(['Two', 'One', 'Three']));
  const three = {
    id: 'i-Three',
    groupId: 'g1',
    name: 'Three',
    position: 0,
    createdAt: at,
    updatedAt: at,
    cells: { c1: 'note 2' },
  };
  const moved = first.patched(changed({ items: [three], moved: [{ id: 'i-Three', after: null }] }))!;
  rerender({ table: moved, settings: all });
  await waitFor(() => expect(names()).toEqual(['Three', 'Two', 'One']));
  const points = { id: 'c2', title: 'Points', type: 'number' as const, settings: {} };
  const more = moved.patched(
    changed({
      board: board(6),
      columns: [points, ...columns],
      items: [{ ...three, cells: { ...three.cells, c2: 7 } }],
    }),
  )!;
  rerender({ table: more, settings: rule({ by: 'ids', ids: { b: ['c2'] } }, '=', 7) });
  await waitFor(() => expect(names()).toEqual(['Three']));
  rerender({ table: more, settings: noteIs('note 1') });
  await waitFor(() => expect(names()).toEqual(['One']));
  const less = more.patched(
    changed({
      board: board(7),
      columns: [points],
      items: ['Two', 'One', 'Three'].map((name) => ({ ...three, id: `i-${name}`, name, cells: {} })),
    }),
  )!;
  rerender({ table: less, settings: rule({ by: 'ids', ids: { b: ['c2'] } }, 'isEmpty', null) });
  await waitFor(() => expect(names()).toEqual(['Three', 'Two', 'One']));
  expect(sent.filter((one) => one === 'board')).toHaveLength(1);
});

it('keeps the rows with the board that they are of while another is read', async () => {
  const table = read();
  const { names, rerender, result } = mount(table, byName, true);
  await waitFor(() => expect(names()).toEqual(['One', 'Three', 'Two']));
  expect(result.current.totals?.all.columns.c1).toEqual({ filled: 3 });
  const anew = read(6, ['B', 'A']);
  rerender({ table: anew, settings: byName });
  expect(result.current.table).toBe(table);
  await waitFor(() => expect(names()).toEqual(['A', 'B']));
  expect(result.current.totals?.all.items).toBe(2);
});

it('says which rules constrain nothing', async () => {
  const table = read();
  const settings = noteIs('');
  const { result } = mount(table, settings);
  await waitFor(() => expect(result.current.inert).toEqual([{ id: 'r', reason: 'no-value' }]));
  await act(async () => undefined);
  expect(result.current.rows).toHaveLength(3);
});

it('finds nothing of "me" while no member is theirs, and that member’s items once one is', async () => {
  const names = ['Mine', 'Theirs', 'Nobody’s'];
  const column = { id: 'c1', title: 'Owner', type: 'people' as const, settings: {} };
  const table = tableFromArrays(
    {
      id: names,
      groupId: names.map(() => 'g1'),
      name: names,
      createdAt: names.map(() => 0),
      updatedAt: names.map(() => 0),
      c1: ['["m1"]', '["m2"]', null],
    },
    {
      types: {
        id: utf8(),
        groupId: dictionary(utf8(), int32()),
        name: utf8(),
        createdAt: int64(),
        updatedAt: int64(),
        c1: dictionary(utf8(), int32()),
      },
    },
  );
  table.schema.metadata = new Map([
    ['board', JSON.stringify({ board: board(4), groups, columns: [column], members: [] })],
  ]);
  const asks = (op: string): ViewSettings => ({
    filter: { v: 1, people: null, all: [{ id: 'r', col: { by: 'ids', ids: { b: ['c1'] } }, op, value: ['me'] }] },
  });
  const read = BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
  const view = mount(read, asks('anyOf'));
  await waitFor(() => expect(view.names()).toEqual([]));
  expect(view.result.current.inert).toEqual([]);
  act(() => setPreference('me', 'm1'));
  await waitFor(() => expect(view.names()).toEqual(['Mine']));
  view.rerender({ table: read, settings: asks('noneOf') });
  await waitFor(() => expect(view.names()).toEqual(['Theirs', 'Nobody’s']));
  act(() => setPreference('me', null));
});
