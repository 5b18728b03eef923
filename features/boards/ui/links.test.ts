/** What cells show that the board does not hold itself. */
import { dictionary, int64, tableFromArrays, tableToIPC, utf8, bool } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import type { Column } from './data';
import { fromDraft, show, toDraft } from './format';
import type { LinkedBoard } from './links';
import { BoardTable, type Changed } from './table';

const board = (revision: number) => ({
  id: 'b',
  workspaceId: 'w',
  name: 'Board',
  revision,
  itemCount: 2,
  updatedAt: '2026-03-01T12:00:00.000Z',
});
const groups = [{ id: 'g1', name: 'To do' }];
const members = [{ id: 'm1', name: 'Ada' }];
const column = (id: string, type: Column['type'], settings: Column['settings'] = {}): Column => ({
  id,
  title: id,
  type,
  settings,
});
const columns: Column[] = [
  column('c1', 'itemLink', { boardId: 'other' }),
  ...['s1', 's2', 's3', 's4', 's9'].map((source, i) =>
    column(`c${i + 2}`, 'mirror', { linkColumn: 'c1', sourceColumn: source }),
  ),
  column('c7', 'createdAt'),
  column('c8', 'createdBy'),
];
const linked: LinkedBoard[] = [
  {
    boardId: 'other',
    columns: [
      column('s1', 'number', { unit: 'pt' }),
      column('s2', 'status', { labels: [{ id: 'l1', text: 'Open', color: '#4a7fd4', done: false }] }),
      column('s3', 'people'),
      column('s4', 'checkbox'),
    ],
    items: [
      { id: 'i1', name: 'First', cells: { s1: 20, s2: 'l1', s3: ['m1'], s4: true } },
      { id: 'i2', name: 'Second', cells: { s1: 7 } },
    ],
  },
];

function read(revision: number, of: LinkedBoard[] = linked): BoardTable {
  const none = columns.slice(1, 6).map(({ id }) => [id, [null, null]] as const);
  const types = Object.fromEntries(none.map(([id]) => [id, bool()] as const));
  const table = tableFromArrays(
    {
      id: ['a', 'b'],
      groupId: ['g1', 'g1'],
      name: ['A', 'B'],
      c1: ['["i2","i1","gone"]', null],
      ...Object.fromEntries(none),
      c7: [Date.UTC(2026, 2, 1, 12), 0],
      c8: ['m1', 'agent'],
    },
    {
      types: {
        id: utf8(),
        groupId: utf8(),
        name: utf8(),
        c1: dictionary(utf8()),
        ...types,
        c7: int64(),
        c8: dictionary(utf8()),
      },
    },
  );
  table.schema.metadata = new Map([
    ['board', JSON.stringify({ board: board(revision), groups, columns, members, linked: of })],
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
const item = (id: string, cells: Record<string, string[]>) => ({
  id,
  groupId: 'g1',
  name: id,
  position: 1,
  createdAt: '2026-03-02T12:00:00.000Z',
  updatedAt: '2026-03-02T12:00:00.000Z',
  cells,
});
const shown = (table: BoardTable, row: number) =>
  table.meta.columns.map((one) => show(table.cell(row, one.id), one, table.meta.members));

describe('a board with links', () => {
  it('shows linked items by name, mirrors by what they hold, and who made an item', () => {
    const table = read(4);
    const [names, sum, label, person, checked, gone, at, by] = shown(table, 0);
    expect([names, sum, label, person, checked, gone, by]).toEqual([
      'Second, First',
      '27 pt',
      'Open',
      'Ada',
      'Yes',
      '',
      'Ada',
    ]);
    expect(at).toContain('2026');
    expect(shown(table, 1).slice(0, 6)).toEqual(['', '', '', '', '', '']);
    expect(shown(table, 1)[7]).toBe('Session');
  });

  it('tells members of one name apart in mirrors once it knows who they are', () => {
    const known = read(4).knowing([
      ...members.map((member) => ({ ...member, email: 'ada@a.example' })),
      { id: 'm2', name: 'ada', email: 'ada@b.example' },
    ]);
    expect(shown(known, 0)[3]).toBe('Ada (ada@a.example)');
  });

  it('follows an edit of a link at once, and what changed of an item', () => {
    const edited = read(4).with([
      { cells: [{ item: 'b', column: 'c1', after: ['i2'] }], add: [], archive: [], remove: [] },
    ]);
    expect(shown(edited, 1).slice(0, 2)).toEqual(['Second', '7 pt']);
    const patched = read(4).patched(changed({ items: [item('b', { c1: ['i1'] })] }))!;
    expect(shown(patched, 1).slice(0, 3)).toEqual(['First', '20 pt', 'Open']);
    expect(shown(patched, 1)[7]).toBe('Owner');
  });

  it('tells the engine what is linked, and moments as numbers', () => {
    const patch = read(4)
      .patched(changed({ items: [item('b', { c1: ['i1'] })] }))!
      .patch()!;
    expect(patch.head.linked).toEqual(linked);
    expect(patch.items[0]!.cells).toMatchObject({ c1: ['i1'], c7: Date.UTC(2026, 2, 2, 12), c8: 'owner' });
  });

  it('shows what changed of linked items as a board read anew would', () => {
    const held = read(4);
    const told = { board: board(4), linkedAt: { other: '8.a' } };
    const change = (items: LinkedBoard['items'], removed: string[] = [], over: object = {}) => [
      { ...linked[0]!, items, removed, whole: false, ...over },
    ];
    const alike = (table: BoardTable | null, items: LinkedBoard['items'], of = linked[0]!) => {
      const anew = read(4, [{ ...of, items }]);
      expect([0, 1].map((row) => shown(table!, row))).toEqual([0, 1].map((row) => shown(anew, row)));
      expect(table!.meta.linked).toEqual(anew.meta.linked);
      expect(table!.meta.linkedAt).toEqual({ other: '8.a' });
    };
    const [first, second] = linked[0]!.items as [LinkedBoard['items'][number], LinkedBoard['items'][number]];
    const renamed = { id: 'i2', name: 'Other', cells: { s1: 8 } };
    // One that no cell links to is none of this board's.
    const patched = held.patched(changed({ ...told, linked: change([renamed, { id: 'i9', name: 'Strange' }]) }))!;
    alike(patched, [first, renamed]);
    expect(shown(patched, 0).slice(0, 2)).toEqual(['Other, First', '28 pt']);
    alike(patched.patched(changed({ ...told, linked: change([second]) })), [first, second]);
    alike(held.patched(changed({ ...told, linked: change([], ['i1']) })), [second]);
    // One that was away is named by a cell all the time.
    const back = { id: 'gone', name: 'Back' };
    alike(held.patched(changed({ ...told, linked: change([back]) })), [back, first, second]);
    alike(held.patched(changed({ ...told, linked: change([second], [], { whole: true }) })), [second]);
    const labels = [
      ...linked[0]!.columns.slice(0, 1),
      column('s2', 'status', { labels: [{ id: 'l1', text: 'Shut', color: '#4a7fd4', done: true }] }),
    ];
    alike(held.patched(changed({ ...told, linked: change([], [], { columns: labels }) })), [first, second], {
      ...linked[0]!,
      columns: labels,
    });
    // The rows stay those that were read.
    expect(patched.bytes).toBe(held.bytes);
    expect(patched.patch()).toMatchObject({ items: [], head: { linked: patched.meta.linked } });
    const away = held.patched(changed({ board: board(4), linkedAt: {}, linked: [] }))!;
    expect([away.meta.linked, shown(away, 0).slice(0, 2)]).toEqual([undefined, ['', '']]);
  });

  it('shows an item that a changed one links to, and a mirror that was added', () => {
    const news = [{ ...linked[0]!, items: [{ id: 'i7', name: 'Seventh' }], removed: [], whole: false }];
    const patched = read(4).patched(
      changed({ linkedAt: { other: '8.a' }, linked: news, items: [item('b', { c1: ['i7'] })] }),
    )!;
    expect(shown(patched, 1)[0]).toBe('Seventh');
    const whole = [
      {
        ...linked[0]!,
        columns: [column('s5', 'text')],
        items: [{ id: 'i1', name: 'First', cells: { s5: 'word' } }],
        removed: [],
        whole: true,
      },
    ];
    const mirror = column('c9', 'mirror', { linkColumn: 'c1', sourceColumn: 's5' });
    const more = read(4).patched(
      changed({ columns: [...columns, mirror], linkedAt: { other: '8.b' }, linked: whole }),
    )!;
    expect(shown(more, 0).at(-1)).toBe('word');
  });

  it('edits links as a list of ids', () => {
    const link = columns[0]!;
    expect(fromDraft(toDraft(['i1', 'i2'], link, members), link, members)).toEqual({ value: ['i1', 'i2'] });
    expect(fromDraft('', link, members)).toEqual({ value: null });
  });
});
