/** The parts of the table that need no page: lines, columns, the clipboard, what edits change, and rules. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import { newRule, rulesOf, withRules } from '@shell/filters/rules';
import type { Column } from '../data';
import { BoardTable } from '../table';
import { fromTsv, parseCell, plain, toHtml, toTsv } from './clipboard';
import { movedColumn, NAME, shownColumns } from './columns';
import { applied, cleared, copied, filled, pasted, type Sheet } from './edits';
import { followed, linesOf, numbersOf } from './lines';
import { fieldsOf, subjectOf } from './rules';
import { edgeFrom, selectedCells } from './selection';

const at = '2026-03-01T12:00:00.000Z';
const labels = [
  { id: 'l1', text: 'To do', color: '#4a7fd4', done: false },
  { id: 'l2', text: 'Done', color: '#4a7fd4', done: false },
];
const columns: Column[] = [
  { id: 'c1', title: 'Note', type: 'text', settings: {} },
  { id: 'c2', title: 'Status', type: 'status', settings: { labels } },
  { id: 'c3', title: 'Points', type: 'text', settings: {} },
];
const groups = [
  { id: 'g1', name: 'One' },
  { id: 'g2', name: 'Two' },
  { id: 'g3', name: 'Three' },
];

function read(): BoardTable {
  const table = tableFromArrays(
    {
      id: ['i1', 'i2', 'i3'],
      groupId: ['g1', 'g1', 'g2'],
      name: ['A', 'B', 'C'],
      c1: ['x', null, 'z'],
      c2: ['l1', 'l2', null],
      c3: [null, null, null],
    },
    { types: { id: utf8(), groupId: utf8(), name: utf8(), c1: utf8(), c2: utf8(), c3: utf8() } },
  );
  const board = { id: 'b', workspaceId: 'w', name: 'Board', revision: 1, itemCount: 3, updatedAt: at };
  table.schema.metadata = new Map([['board', JSON.stringify({ board, groups, columns, members: [] })]]);
  return BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
}

function sheet(): Sheet {
  const table = read();
  return {
    table,
    lines: linesOf(table, { rows: null, folded: [], hasTotals: true }),
    shown: shownColumns(columns, {}),
    members: [],
  };
}

it('Ctrl with an arrow goes to the edge of filled cells, to the next one, then to the end', () => {
  // A head, three filled, two empty, a head, one filled, one empty.
  const cells = [null, true, true, true, false, false, null, true, false];
  const from = (at: number, by: 1 | -1) => edgeFrom(at, by, cells.length, (one) => cells[one] ?? null);
  expect([1, 2, 3, 4, 5, 7, 8].map((at) => from(at, 1))).toEqual([3, 3, 7, 7, 7, 8, 8]);
  expect([8, 7, 5, 3, 2, 1].map((at) => from(at, -1))).toEqual([7, 3, 3, 1, 1, 0]);
  expect(from(-1, 1)).toBe(1);
});

describe('lines', () => {
  const shown = (options: Parameters<typeof linesOf>[1]) => {
    const table = read();
    return linesOf(table, options).map((line) =>
      typeof line === 'number'
        ? String(table.cell(line, 'name'))
        : 'group' in line
          ? `${line.group.name} ${line.count}${line.isFolded ? ' folded' : ''}`
          : 'addTo' in line
            ? '+'
            : `= ${line.totalsOf.name}`,
    );
  };

  it('stand by group, in the order of the view', () => {
    expect(shown({ rows: null, folded: [], hasTotals: false })).toEqual(['One 2', 'A', 'B', 'Two 1', 'C', 'Three 0']);
    expect(shown({ rows: new Uint32Array([2, 1, 0]), folded: [], hasTotals: true })).toEqual([
      'One 2',
      'B',
      'A',
      '= One',
      'Two 1',
      'C',
      '= Two',
      'Three 0',
    ]);
  });

  it('number the items alone', () => {
    const table = read();
    // One, A, B, = One, Two, C, = Two, Three.
    expect([...numbersOf(linesOf(table, { rows: null, folded: [], hasTotals: true }))]).toEqual([
      0, 1, 2, 2, 2, 3, 3, 3,
    ]);
  });

  it('leave out what is folded, and groups in which nothing matches', () => {
    expect(shown({ rows: null, folded: ['g1'], hasTotals: true })).toEqual([
      'One 2 folded',
      'Two 1',
      'C',
      '= Two',
      'Three 0',
    ]);
    expect(shown({ rows: new Uint32Array([2]), folded: [], hasTotals: false })).toEqual(['Two 1', 'C']);
  });
});

describe('what stands at a line', () => {
  const drawn = (rows: number[] | null, folded: string[] = []) => {
    const table = read();
    return { table, lines: linesOf(table, { rows: rows && new Uint32Array(rows), folded, hasTotals: false }) };
  };

  it('is found again after others were added, sorted, folded or taken away', () => {
    const before = drawn(null);
    const [group, a, b, second, c] = [0, 1, 2, 3, 4];
    const to = (rows: number[] | null, folded?: string[]) =>
      [group, a, b, second, c].map((line) => followed(line, before, drawn(rows, folded)));
    expect(to(null)).toEqual([0, 1, 2, 3, 4]);
    expect(to([1, 0, 2])).toEqual([0, 2, 1, 3, 4]);
    expect(to([1, 2])).toEqual([0, -1, 1, 2, 3]);
    expect(to(null, ['g1'])).toEqual([0, -1, -1, 1, 2]);
  });
});

describe('columns', () => {
  it('are shown in the order, widths and places of the view', () => {
    const settings = {
      columnOrder: ['c3', 'gone', 'c1'],
      hiddenColumns: ['c1'],
      widths: { c3: 100, c2: 5 },
      frozen: 'c3',
    };
    const shown = shownColumns(columns, settings);
    expect(shown.map(({ column, width, left }) => [column.id, width, left])).toEqual([
      ['name', 280, 40],
      ['c3', 100, 320],
      ['c2', 60, null],
    ]);
    expect(shownColumns(columns, {}).map(({ left }) => left)).toEqual([40, null, null, null]);
  });

  it('move among those that are shown', () => {
    expect(movedColumn(columns, {}, 'c1', 1)).toEqual(['c2', 'c1', 'c3']);
    expect(movedColumn(columns, {}, 'c3', -5)).toEqual(['c3', 'c1', 'c2']);
    expect(movedColumn(columns, { hiddenColumns: ['c2'] }, 'c1', 2)).toEqual(['c2', 'c3', 'c1']);
  });
});

describe('the clipboard', () => {
  it('brings cells back as they were', () => {
    const cells = [
      ['a\tb', '"quoted"', ''],
      ['two\nlines', 'plain "inside"', '1.5'],
    ];
    expect(fromTsv(toTsv(cells))).toEqual(cells);
    expect(fromTsv('a\tb\r\nc\t\r\n')).toEqual([
      ['a', 'b'],
      ['c', ''],
    ]);
    expect(toHtml([['<b>', '&']])).toBe('<table><tr><td>&lt;b&gt;</td><td>&amp;</td></tr></table>');
  });

  const of = (type: Column['type']): Column => ({ id: 'c', title: 'Column', type, settings: { labels } });
  it.each<[string, Column['type'], unknown]>([
    ['done', 'status', 'l2'],
    ['$1,200.50', 'number', 1200.5],
    ['(3)', 'number', -3],
    ['45 %', 'progress', 45],
    ['TRUE', 'checkbox', true],
    ['no', 'checkbox', false],
    ['2026-03-01', 'date', '2026-03-01'],
    ['3/1/2026', 'date', '2026-03-01'],
    ['13/1/2026', 'date', '2026-01-13'],
    ['1.3.2026', 'date', '2026-03-01'],
    ['Mar 1, 2026', 'date', '2026-03-01'],
    ['a, b', 'tags', ['a', 'b']],
    ['', 'number', null],
  ])('reads %j into a column of type %s', (text, type, value) => {
    expect(parseCell(text, of(type), [])).toEqual({ value });
  });

  it.each<[string, Column['type']]>([
    ['unknown', 'status'],
    ['1,2,3', 'number'],
    ['perhaps', 'checkbox'],
    ['2026-02-30', 'date'],
    ['soon', 'date'],
  ])('says that %j is nothing for a column of type %s', (text, type) => {
    expect(parseCell(text, of(type), [])).toHaveProperty('refused');
  });

  it('writes values without the marks of a locale', () => {
    expect([
      plain(1234.5, of('number'), []),
      plain('2026-03-01', of('date'), []),
      plain('l2', of('status'), []),
      plain(true, of('checkbox'), []),
    ]).toEqual(['1234.5', '2026-03-01', 'Done', 'TRUE']);
  });
});

describe('edits', () => {
  // Lines: One, A, B, = One, Two, C, = Two, Three.
  const selected = (top: number, bottom: number, left: number, right: number) =>
    selectedCells([{ from: { line: bottom, column: right }, to: { line: top, column: left } }], sheet().lines);
  const told = (changes: ReturnType<typeof filled>) =>
    changes.map(({ item, column, after }) => `${item}.${column}=${String(after)}`);

  it('copy, clear and fill what is selected, whatever stands between', () => {
    expect(copied(sheet(), selected(1, 5, 0, 2))).toEqual([
      ['A', 'x', 'To do'],
      ['B', '', 'Done'],
      ['C', 'z', ''],
    ]);
    expect(told(cleared(sheet(), selected(1, 2, 0, 1)))).toEqual(['i1.c1=null', 'i2.c1=null']);
    expect(told(filled(sheet(), selected(1, 5, 1, 2)))).toEqual(['i2.c1=x', 'i2.c2=l1', 'i3.c1=x', 'i3.c2=l1']);
    expect(told(filled(sheet(), selected(5, 5, 2, 2)))).toEqual(['i3.c2=l2']);
    expect(told(applied(sheet(), [1, 2, 3, 5], 1, 'n'))).toEqual(['i1.c1=n', 'i2.c1=n', 'i3.c1=n']);
  });

  it('paste the shape, one text everywhere, and past the end as new items', () => {
    const one = pasted(sheet(), selected(1, 5, 1, 1), [['w']]);
    expect(told(one.changes)).toEqual(['i1.c1=w', 'i2.c1=w', 'i3.c1=w']);
    const many = pasted(sheet(), selected(2, 2, 0, 0), [
      ['B2', 'n', 'Done'],
      ['', 'm', 'Nope'],
      ['New', 'k', 'To do', 'p', 'beyond'],
    ]);
    expect(told(many.changes)).toEqual(['i2.name=B2', 'i2.c1=n', 'i2.c2=l2', 'i3.c1=m']);
    expect(many.added).toEqual([{ name: 'New', cells: { c1: 'k', c2: 'l1', c3: 'p' } }]);
    expect(many.refused.map(({ where }) => where)).toEqual(['Name of C', 'Status of C']);
  });

  it('select several rectangles of the same columns together', () => {
    const { lines } = sheet();
    const cell = (line: number) => ({ from: { line, column: 1 }, to: { line, column: 1 } });
    expect(
      selectedCells([cell(5), { from: { line: 1, column: 0 }, to: { line: 1, column: 2 } }, cell(1)], lines),
    ).toEqual({ lines: [1, 5], columns: [1] });
  });
});

describe('rules', () => {
  const fields = fieldsOf(columns, groups);
  const subject = subjectOf('b', fields);
  it('tell what every item has from a column that is called the same', () => {
    const titles = fieldsOf([{ id: 'c9', title: 'created ', type: 'date', settings: {} }], []).map(
      ({ title }) => title,
    );
    expect(titles).toEqual(['Name', 'created ', 'Group', 'Created (of every item)', 'Updated']);
  });

  it('name their column, and keep what a list of rules cannot show', () => {
    const rule = newRule(
      subject,
      fields.find((field) => field.id === 'c2')!,
    );
    expect(rule).toMatchObject({ col: { by: 'ids', ids: { b: ['c2'] } }, op: 'anyOf' });
    expect(subject.fieldOf(rule)?.choices).toEqual(['To do', 'Done']);
    expect(subject.fieldOf({ ...rule, col: { by: 'title', title: ' note ', type: 'text' } })?.id).toBe('c1');
    expect(newRule(subject, fields[0]!)).toMatchObject({ col: { by: 'builtin', name: NAME.id } });
    const either = { any: [rule] };
    const filter = { v: 1 as const, people: null, all: [rule, either] };
    expect(rulesOf(filter)).toEqual([rule]);
    expect(withRules(filter, [])).toEqual({ v: 1, people: null, all: [either] });
    expect(withRules(undefined, [])).toBeUndefined();
  });
});
