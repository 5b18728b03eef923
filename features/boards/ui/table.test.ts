/** A board as the page holds it follows what has changed without being read again. */
import { int64, tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import type { Column } from './data';
import { BoardTable, IDS_PER_TURN, type Changed, type OnItsWay } from './table';

const board = (revision: number) => ({
  id: 'b',
  workspaceId: 'w',
  name: 'Board',
  revision,
  itemCount: 3,
  updatedAt: '2026-03-01T12:00:00.000Z',
});
const groups = [
  { id: 'g1', name: 'To do' },
  { id: 'g2', name: 'Done' },
];
const columns = [{ id: 'c1', title: 'Note', type: 'text' as const, settings: {} }];

const MADE = Date.UTC(2026, 2, 1, 12);

function read(revision: number, own: readonly Column[] = columns, cells: Record<string, string[]> = {}): BoardTable {
  const table = tableFromArrays(
    {
      id: ['i1', 'i2', 'i3'],
      groupId: ['g1', 'g1', 'g2'],
      name: ['One', 'Two', 'Three'],
      createdAt: (cells.id ?? ['', '', '']).map(() => MADE),
      c1: ['a', null, 'c'],
      ...cells,
    },
    {
      types: {
        id: utf8(),
        groupId: utf8(),
        name: utf8(),
        createdAt: int64(),
        c1: utf8(),
        ...Object.fromEntries(Object.keys(cells).map((id) => [id, utf8()])),
      },
    },
  );
  table.schema.metadata = new Map([
    ['board', JSON.stringify({ board: board(revision), groups, columns: own, members: [] })],
  ]);
  const bytes = tableToIPC(table, { format: 'stream' })!;
  return BoardTable.read(bytes.slice().buffer);
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
const item = (id: string, over: Partial<Changed['items'][number]>) => ({
  id,
  groupId: 'g1',
  name: id,
  position: 1,
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-01T12:00:00.000Z',
  cells: {},
  ...over,
});

/** Group heads by name, and items as name and note. */
const shown = (table: BoardTable) =>
  table.lines.map((line) =>
    typeof line === 'number'
      ? `${String(table.cell(line, 'name'))}=${String(table.cell(line, 'c1'))}`
      : line.group.name,
  );

describe('a board that is followed', () => {
  it('shows items changed, added, regrouped and gone', () => {
    const table = read(4).patched(
      changed({
        items: [
          item('i2', { name: 'Two!', groupId: 'g2', cells: { c1: 'b' } }),
          item('i5', { name: 'Five', position: 50 }),
          item('i4', { name: 'Four', position: 40 }),
        ],
        removed: ['i1'],
      }),
    )!;
    expect(shown(table)).toEqual(['To do', 'Four=null', 'Five=null', 'Done', 'Two!=b', 'Three=c']);
    expect(table.count).toBe(4);
    expect(table.lines.map((line) => (typeof line === 'number' ? table.id(line) : ''))).toEqual([
      '',
      'i4',
      'i5',
      '',
      'i2',
      'i3',
    ]);
    const later = table.patched(
      changed({ board: board(6), items: [item('i4', { name: 'Four again', position: 40 })], removed: ['i5'] }),
    )!;
    expect(shown(later)).toEqual(['To do', 'Four again=null', 'Done', 'Two!=b', 'Three=c']);
  });

  it('says how many items the last reading brought, whatever is on its way', () => {
    const table = read(4);
    const onItsWay = [{ cells: [{ item: 'i1', column: 'c1', after: 'mine' }], add: [], archive: [], remove: [] }];
    expect([table.news, table.with(onItsWay).news]).toEqual([3, 3]);
    const later = table.patched(changed({ items: [item('i2', {})], removed: ['i3'] }))!;
    expect([later.news, later.with(onItsWay).news]).toEqual([2, 2]);
  });

  it('keeps what did not change as the same object, from which much is drawn', () => {
    const table = read(4);
    const later = table.patched(
      changed({
        groups: structuredClone(groups),
        columns: structuredClone(columns),
        items: [item('i2', { name: 'Two!' })],
      }),
    )!;
    expect(later.meta.columns).toBe(table.meta.columns);
    expect(later.meta.groups).toBe(table.meta.groups);
    const other = [{ ...columns[0]!, title: 'Other' }];
    expect(later.patched(changed({ columns: other }))!.meta.columns).toEqual(other);
  });

  it('knows its items however much of it was prepared', () => {
    const ids = Array.from({ length: IDS_PER_TURN + 2 }, (_, at) => `i${at}`);
    const table = read(
      4,
      [],
      Object.fromEntries(
        ['id', 'groupId', 'name', 'c1'].map((name) => [name, name === 'groupId' ? ids.map(() => 'g1') : ids]),
      ),
    );
    expect(table.prepare()).toBe(false);
    expect([0, IDS_PER_TURN + 1].map((row) => table.id(row))).toEqual(['i0', ids.at(-1)]);
    expect([ids.at(-1)!, 'i0', 'none'].map((id) => table.row(id))).toEqual([IDS_PER_TURN + 1, 0, undefined]);
    expect(table.prepare()).toBe(true);
  });

  it('shows an item again that was deleted and brought back', () => {
    const without = read(4).patched(changed({ removed: ['i1'] }))!;
    expect(without.count).toBe(2);
    const back = without.patched(
      changed({ board: board(6), items: [item('i1', { name: 'One', cells: { c1: 'a' } })] }),
    )!;
    expect(shown(back)).toEqual(['To do', 'One=a', 'Two=null', 'Done', 'Three=c']);
  });

  it('shows what is on its way above what it holds', () => {
    const none = { cells: [], add: [], archive: [], remove: [] };
    const table = read(4);
    const steps: OnItsWay[] = [
      {
        ...none,
        add: [
          { id: 'n1', name: 'New', groupId: 'g2', cells: { c1: 'n' } },
          { id: 'n2', name: 'Other', cells: {} },
        ],
      },
      {
        ...none,
        cells: [
          { item: 'i1', column: 'c1', after: 'mine' },
          { item: 'n1', column: 'name', after: 'Newer' },
          { item: 'i2', column: 'groupId', after: 'g2' },
        ],
      },
      { ...none, remove: ['i3'], archive: ['n2'] },
    ];
    expect(shown(table.with(steps))).toEqual(['To do', 'One=mine', 'Done', 'Two=null', 'Newer=n']);
    expect(shown(table.with(steps.slice(1, 2)))).toEqual(['To do', 'One=mine', 'Done', 'Two=null', 'Three=c']);
    expect(shown(table)).toEqual(['To do', 'One=a', 'Two=null', 'Done', 'Three=c']);
    // What arrived meanwhile is not doubled.
    const later = table.patched(changed({ items: [item('n1', { name: 'New', groupId: 'g2', cells: { c1: 'n' } })] }))!;
    expect(shown(later.with(steps))).toEqual(['To do', 'One=mine', 'Done', 'Two=null', 'Newer=n']);
  });

  it('shows an item where it was put, among the items of all groups and in its own, and tells the engine', () => {
    const put = (item: string, after: string, before: string): OnItsWay => ({
      cells: [{ item, column: 'place', after: [after, before] }],
      add: [],
      archive: [],
      remove: [],
    });
    const order = (table: BoardTable) => table.items.map((row) => String(table.cell(row, 'name')));
    const table = read(4);
    expect([order(table), table.standsBehind('i1'), table.standsBehind('i3')]).toEqual([
      ['One', 'Two', 'Three'],
      null,
      'i2',
    ]);
    const moved = table.with([put('i1', 'i3', ''), put('i3', '', 'i2')]);
    expect(order(moved)).toEqual(['Three', 'Two', 'One']);
    expect(shown(moved)).toEqual(['To do', 'Two=null', 'One=a', 'Done', 'Three=c']);
    expect([moved.standsBehind('i3'), moved.standsBehind('i1')]).toEqual([null, 'i2']);
    expect(moved.patch()!.moved).not.toEqual([]);
    // What is gone is no neighbor, and what stands there already is not moved.
    const without = table.patched(changed({ removed: ['i3'] }))!;
    expect(order(without.with([put('i1', 'i3', 'i2')]))).toEqual(['One', 'Two']);
    expect(order(without.with([put('i2', 'i3', 'i1')]))).toEqual(['Two', 'One']);
    expect(table.with([put('i2', 'i1', 'i3')]).lines).toBe(table.lines);
    const late = [
      { cells: [], add: [{ id: 'n1', name: 'New', cells: {} }], archive: [], remove: [] },
      put('n1', 'i1', 'i2'),
    ];
    expect(order(table.with(late))).toEqual(['One', 'New', 'Two', 'Three']);
  });

  it('shows when an item was made, and by whom, while it is on its way to another group', () => {
    const made: Column[] = [
      { id: 'c2', title: 'Made on', type: 'createdAt', settings: {} },
      { id: 'c3', title: 'Made by', type: 'createdBy', settings: {} },
    ];
    const table = read(4, [...columns, ...made], { c3: ['m1', 'owner', 'm1'] });
    const moved = table.with([
      { cells: [{ item: 'i1', column: 'groupId', after: 'g2' }], add: [], archive: [], remove: [] },
    ]);
    const row = moved.row('i1')!;
    expect([moved.group(row), moved.cell(row, 'c2'), moved.cell(row, 'c3')]).toEqual([
      'g2',
      '2026-03-01T12:00:00.000Z',
      'm1',
    ]);
    expect(moved.patch()!.items).toMatchObject([{ createdAt: MADE, cells: { c2: MADE, c3: 'm1' } }]);
  });

  it('empties a cell on its way', () => {
    const table = read(4).with([
      { cells: [{ item: 'i1', column: 'c1', after: null }], add: [], archive: [], remove: [] },
    ]);
    expect(shown(table)[1]).toBe('One=null');
  });

  it('shows moved items, and those that came back, where a board read anew would', () => {
    const order = (table: BoardTable) =>
      table.lines.flatMap((line) => (typeof line === 'number' ? table.id(line) : []));
    const first = read(4).patched(
      changed({
        items: [item('i4', { position: 40 }), item('i2', { position: 50 })],
        moved: [{ id: 'i2', after: 'i4' }],
      }),
    )!;
    expect(order(first)).toEqual(['i1', 'i4', 'i2', 'i3']);
    const before = first.patched(
      changed({
        board: board(6),
        items: [item('i4', { position: 0 })],
        moved: [{ id: 'i4', after: null }],
        removed: ['i1'],
      }),
    )!;
    expect(order(before)).toEqual(['i4', 'i2', 'i3']);
    // Taken back: it stands where it stood, and what was deleted is back in its place.
    const back = before.patched(
      changed({
        board: board(7),
        items: [item('i1', {}), item('i2', { position: 2 })],
        moved: [
          { id: 'i1', after: 'i4' },
          { id: 'i2', after: 'i1' },
        ],
      }),
    )!;
    expect(order(back)).toEqual(['i4', 'i1', 'i2', 'i3']);
    expect(back.patch()!.moved).toEqual([[null, [3, 0, 1]]]);
    // What is on its way from here stays the last.
    const added = { cells: [], add: [{ id: 'n1', name: 'New', cells: {} }], archive: [], remove: [] };
    expect(order(back.with([added]))).toEqual(['i4', 'i1', 'i2', 'n1', 'i3']);
  });

  it('shows columns that were added, moved, changed and deleted', () => {
    const column = (id: string, type: Column['type'], title = id): Column => ({ id, title, type, settings: {} });
    const cells = (table: BoardTable) =>
      table.lines.flatMap((line) =>
        typeof line === 'number' ? [table.meta.columns.map(({ id }) => table.cell(line, id))] : [],
      );
    const [note, points, made] = [
      { ...columns[0]!, title: 'Remark' },
      column('c2', 'number'),
      column('c3', 'createdAt'),
    ];
    const more = read(4).patched(
      changed({ columns: [points, note, made], items: [item('i2', { cells: { c2: 7 } })] }),
    )!;
    expect(more.meta.columns.map(({ title }) => title)).toEqual(['c2', 'Remark', 'c3']);
    expect(cells(more)).toEqual([
      [null, 'a', '2026-03-01T12:00:00.000Z'],
      [7, null, '2026-03-01T12:00:00.000Z'],
      [null, 'c', '2026-03-01T12:00:00.000Z'],
    ]);
    const less = more.patched(
      changed({ board: board(6), columns: [points], items: ['i1', 'i3'].map((id) => item(id, { groupId: 'g2' })) }),
    )!;
    expect(cells(less)).toEqual([[7], [null], [null]]);
    // A deleted column comes back with the items that it has cells of.
    const back = less.patched(
      changed({ board: board(7), columns: [note, points], items: [item('i1', { cells: { c1: 'a' } })] }),
    )!;
    expect(cells(back)).toEqual([
      ['a', null],
      [null, 7],
      [null, null],
    ]);
    expect(back.patch()!.head.columns).toEqual([note, points]);
    // An engine hears of columns alone as well.
    expect(
      read(4)
        .patched(changed({ columns: [points] }))!
        .patch(),
    ).toMatchObject({ items: [], gone: [] });
  });

  it('is read again when too much happened, and where what it holds does not say what a column shows', () => {
    const table = read(4);
    expect(table.patched(changed({ reload: true }))).toBeNull();
    expect(table.patched(changed({ moved: [{ id: 'i1', after: 'unknown' }] }))).toBeNull();
    const by: Column = { id: 'c9', title: 'By', type: 'createdBy', settings: {} };
    expect(table.patched(changed({ columns: [...columns, by] }))).toBeNull();
    // The results of another formula may be of another type, which the rows that were read are not.
    expect(
      table.patched(changed({ columns: [{ ...columns[0]!, type: 'formula', settings: { result: 'number' } }] })),
    ).toBeNull();
    expect(
      table.patched(changed({ columns: [{ ...columns[0]!, type: 'formula', settings: { result: 'text' } }] })),
    ).not.toBeNull();
  });
});
