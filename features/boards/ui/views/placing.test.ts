/** Days, and items on them. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import { dayNumber, dayText } from '@shell/dates';
import type { Column } from '../data';
import { BoardTable } from '../table';
import { changesFor, fitting, isReversed, isShown, lanesOf, nearestOutside, placedItems, placingOf } from './placing';

const day = (text: string) => dayNumber(text)!;
const start: Column = { id: 'c1', title: 'Start', type: 'date', settings: {} };
const end: Column = { id: 'c2', title: 'End', type: 'date', settings: {} };
const span: Column = { id: 'c3', title: 'When', type: 'timeline', settings: {} };

function board(rows: [string | null, string | null][]): BoardTable {
  const ids = rows.map((_, at) => `i${at}`);
  const none = rows.map(() => null);
  // Dates as texts: what they are by is taken from the edits below.
  const table = tableFromArrays(
    { id: ids, groupId: rows.map(() => 'g1'), name: ids, c1: none, c2: none, c3: none },
    { types: { id: utf8(), groupId: utf8(), name: utf8(), c1: utf8(), c2: utf8(), c3: utf8() } },
  );
  const meta = {
    board: {
      id: 'b',
      workspaceId: 'w',
      name: 'Board',
      revision: 1,
      itemCount: rows.length,
      updatedAt: '2026-03-01T12:00:00.000Z',
    },
    groups: [{ id: 'g1', name: 'All' }],
    columns: [start, end, span],
    members: [],
  };
  table.schema.metadata = new Map([['board', JSON.stringify(meta)]]);
  const read = BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
  return rows.reduce(
    (now, [from, to], at) =>
      now.with([
        {
          cells: [
            { item: `i${at}`, column: 'c1', after: from },
            { item: `i${at}`, column: 'c2', after: to },
          ],
          add: [],
          archive: [],
          remove: [],
        },
      ]),
    read,
  );
}

describe('items on days', () => {
  it('stand by one date, by two, or by a timeline', () => {
    const table = board([
      ['2026-03-09', '2026-03-11'],
      ['2026-03-02', null],
      [null, null],
      [null, '2026-03-05'],
    ]);
    const shown = (placing: Parameters<typeof placedItems>[1]) => {
      const { placed, without } = placedItems(table, placing, null);
      return [placed.map(({ row, from, to }) => `${row}: ${dayText(from)} ${dayText(to)}`), without];
    };
    expect(shown({ start })).toEqual([
      ['1: 2026-03-02 2026-03-02', '0: 2026-03-09 2026-03-09'],
      [2, 3],
    ]);
    expect(shown({ start, end })).toEqual([
      ['1: 2026-03-02 2026-03-02', '3: 2026-03-05 2026-03-05', '0: 2026-03-09 2026-03-11'],
      [2],
    ]);
    const spanned = table.with([
      {
        cells: [{ item: 'i2', column: 'c3', after: { from: '2026-03-01', to: '2026-03-03' } }],
        add: [],
        archive: [],
        remove: [],
      },
    ]);
    expect(placedItems(spanned, { start: span }, null).placed).toEqual([
      { row: 2, from: day('2026-03-01'), to: day('2026-03-03') },
    ]);
  });

  it('are in the view where its rows have them', () => {
    const table = board([
      ['2026-03-09', null],
      ['2026-03-02', null],
    ]);
    expect([
      isShown(table, null, 'i1'),
      isShown(table, [0], 'i1'),
      isShown(table, [0], 'i0'),
      isShown(table, null, 'gone'),
    ]).toEqual([true, false, true, false]);
  });

  it('are known to end before they begin', () => {
    const table = board([
      ['2026-12-05', '2026-11-21'],
      ['2026-12-05', '2026-12-05'],
      ['2026-12-05', null],
      [null, '2026-12-05'],
    ]);
    expect([0, 1, 2, 3].map((row) => isReversed(table, row, { start, end }))).toEqual([true, false, false, false]);
    expect(isReversed(table, 0, { start })).toBe(false);
  });

  it('are placed by columns that are there', () => {
    const columns = [start, end, span];
    expect(placingOf({ dateColumn: 'c1', endColumn: 'c2' }, columns, true)).toEqual({ start, end });
    expect(placingOf({ dateColumn: 'c1', endColumn: 'c2' }, columns, false)).toEqual({ start });
    expect(placingOf({ dateColumn: 'c1', endColumn: 'c1' }, columns, true)).toEqual({ start });
    expect(placingOf({ dateColumn: 'c3', endColumn: 'c2' }, columns, true)).toEqual({ start: span });
    expect(placingOf({ dateColumn: 'c9' }, columns, true)).toBeUndefined();
  });

  it('are put elsewhere by writing only what changes', () => {
    const table = board([
      ['2026-03-09', '2026-03-11'],
      ['2026-03-02', null],
    ]);
    const to = (from: string, until: string) => ({ from: day(from), to: day(until) });
    const written = (
      row: number,
      placing: Parameters<typeof placedItems>[1],
      place: Parameters<typeof changesFor>[3],
    ) => changesFor(table, row, placing, place).map(({ column, to }) => [column.id, to]);
    expect(written(0, { start }, to('2026-03-10', '2026-03-10'))).toEqual([['c1', '2026-03-10']]);
    expect(written(0, { start, end }, to('2026-03-09', '2026-03-12'))).toEqual([['c2', '2026-03-12']]);
    expect(written(1, { start, end }, to('2026-03-03', '2026-03-03'))).toEqual([['c1', '2026-03-03']]);
    expect(written(1, { start, end }, to('2026-03-02', '2026-03-04'))).toEqual([['c2', '2026-03-04']]);
    expect(written(0, { start: span }, to('2026-03-09', '2026-03-12'))).toEqual([
      ['c3', { from: '2026-03-09', to: '2026-03-12' }],
    ]);
    expect(written(0, { start }, null)).toEqual([['c1', null]]);
  });
});

describe('the lanes of a week', () => {
  const week = day('2026-03-02');
  const placed = [
    { row: 0, from: week - 3, to: week + 1 },
    { row: 1, from: week, to: week },
    { row: 2, from: week + 1, to: week + 9 },
    { row: 3, from: week + 2, to: week + 2 },
    { row: 4, from: week + 8, to: week + 8 },
  ];

  it('keep items apart, and cut what reaches beyond', () => {
    expect(lanesOf(placed, week, 7)).toEqual([
      { row: 0, first: 0, last: 1, lane: 0, opens: false, closes: true },
      { row: 1, first: 0, last: 0, lane: 1, opens: true, closes: true },
      { row: 2, first: 1, last: 6, lane: 1, opens: true, closes: false },
      { row: 3, first: 2, last: 2, lane: 0, opens: true, closes: true },
    ]);
  });

  it('show what fits and count the rest of each day', () => {
    const { shown, more } = fitting(lanesOf([...placed.slice(0, 2), { row: 9, from: week, to: week }], week, 7), 2, 7);
    expect(shown.map((piece) => piece.row)).toEqual([0]);
    expect(more).toEqual([2, 0, 0, 0, 0, 0, 0]);
    const all = fitting(lanesOf(placed, week, 7), 2, 7);
    expect(all.shown).toHaveLength(4);
    expect(all.more.every((count) => count === 0)).toBe(true);
  });
});

describe('the item nearest to the days in view', () => {
  const placed = [
    { row: 1, from: 10, to: 12 },
    { row: 2, from: 40, to: 40 },
  ];
  it('is told by its day that is nearest, before or after them', () => {
    expect(nearestOutside(placed, { from: 20, to: 29 })).toEqual({ row: 1, day: 12 });
    expect(nearestOutside(placed, { from: 20, to: 35 })).toEqual({ row: 2, day: 40 });
  });
  it('is none where one stands in view, be it by a day, or where there are none', () => {
    expect(nearestOutside(placed, { from: 12, to: 20 })).toBeNull();
    expect(nearestOutside([], { from: 12, to: 20 })).toBeNull();
  });
});
