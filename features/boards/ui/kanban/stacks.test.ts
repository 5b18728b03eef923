/** What stands in which stack. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import type { Column } from '../data';
import { BoardTable } from '../table';
import {
  aboveSpot,
  beside,
  besideSpot,
  fullness,
  landingAt,
  NO_VALUE,
  spotAt,
  stackBy,
  stacksOf,
  type StackBy,
} from './stacks';

const status: Column = {
  id: 'c1',
  title: 'Status',
  type: 'status',
  settings: {
    labels: [
      { id: 'l1', text: 'Open', color: '#4a7fd4', done: false },
      { id: 'l2', text: 'Done', color: '#4a7fd4', done: true },
    ],
  },
};
const text: Column = { id: 'c2', title: 'Note', type: 'text', settings: {} };

function board(): BoardTable {
  const types = { id: utf8(), groupId: utf8(), name: utf8(), c1: utf8(), c2: utf8() };
  const table = tableFromArrays(
    {
      id: ['i1', 'i2', 'i3', 'i4'],
      groupId: ['g2', 'g1', 'g1', 'g2'],
      name: ['One', 'Two', 'Three', 'Four'],
      c1: ['l2', 'l1', null, 'gone'],
      c2: [null, null, null, null],
    },
    { types },
  );
  const meta = {
    board: {
      id: 'b',
      workspaceId: 'w',
      name: 'Board',
      revision: 1,
      itemCount: 4,
      updatedAt: '2026-03-01T12:00:00.000Z',
    },
    groups: [
      { id: 'g1', name: 'First' },
      { id: 'g2', name: 'Second' },
    ],
    columns: [status, text],
    members: [],
  };
  table.schema.metadata = new Map([['board', JSON.stringify(meta)]]);
  return BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
}

const shown = (table: BoardTable, by: StackBy, rows: Iterable<number> | null = null, isSorted = false) =>
  stacksOf(table, by, rows, isSorted).map((stack) => [
    stack.key,
    stack.name,
    stack.rows.map((row) => table.id(row)).join(' '),
  ]);

describe('the stacks', () => {
  it('are the labels in their order and one for no value, which also takes labels that are gone', () => {
    expect(shown(board(), { kind: 'column', column: status })).toEqual([
      ['l1', 'Open', 'i2'],
      ['l2', 'Done', 'i1'],
      [NO_VALUE, 'No value', 'i3 i4'],
    ]);
  });

  it('follow an edit at once', () => {
    const table = board().with([
      { cells: [{ item: 'i2', column: 'c1', after: 'l2' }], add: [], archive: [], remove: [] },
    ]);
    expect(shown(table, { kind: 'column', column: status })[1]).toEqual(['l2', 'Done', 'i1 i2']);
  });

  it('are the groups, with what is on its way', () => {
    expect(
      shown(
        board().with([{ cells: [{ item: 'i3', column: 'groupId', after: 'g2' }], add: [], archive: [], remove: [] }]),
        { kind: 'group' },
      ),
    ).toEqual([
      ['g1', 'First', 'i2'],
      ['g2', 'Second', 'i1 i3 i4'],
    ]);
  });

  it('hold the rows of the view, in its order where it is sorted', () => {
    const by: StackBy = { kind: 'column', column: status };
    const stacks = (order: string) => [
      ['l1', 'Open', ''],
      ['l2', 'Done', ''],
      [NO_VALUE, 'No value', order],
    ];
    expect(shown(board(), by, Uint32Array.of(3, 2), true)).toEqual(stacks('i4 i3'));
    expect(shown(board(), by, Uint32Array.of(3, 2))).toEqual(stacks('i3 i4'));
  });

  it('have a spot between any two cards, whatever their groups', () => {
    const by: StackBy = { kind: 'column', column: status };
    const all = ['i1', 'i2', 'i3', 'i4'].map((item) => ({ item, column: 'c1', before: null, after: 'l1' }));
    const table = board().with([{ cells: all, add: [], archive: [], remove: [] }]);
    const stacks = stacksOf(table, by, null);
    const spot = (item: string, above: number) => spotAt(table, stacks[0]!, item, above);
    expect([spot('i1', 0), spot('i1', 2), spot('i4', 9)]).toEqual([
      { stack: 'l1', before: 'i2', above: 0 },
      { stack: 'l1', before: 'i4', above: 2 },
      { stack: 'l1', before: null, above: 3 },
    ]);
    expect([0, 2, 3].map((above) => besideSpot(table, stacks, 'i1', spot('i1', above)))).toEqual([
      ['', 'i2'],
      ['i3', 'i4'],
      ['i4', ''],
    ]);
    expect(aboveSpot(table, stacks, 'i1', spot('i1', 2))).toEqual({ above: 2, others: 3 });
    expect([0, 1, 2, 3].map((above) => landingAt(table, stacks, 'i2', spot('i2', above)))).toEqual([0, 2, 3, 4]);
    // An empty stack has no neighbors, and a stack alone names no place.
    expect([
      besideSpot(table, stacks, 'i1', { stack: 'l2', before: null }),
      besideSpot(table, stacks, 'i1', { stack: 'l1' }),
    ]).toEqual([null, null]);
  });

  it('hold a spot where it was when the card behind it is put away or elsewhere', () => {
    const by: StackBy = { kind: 'column', column: status };
    const all = ['i1', 'i2', 'i3', 'i4'].map((item) => ({ item, column: 'c1', before: null, after: 'l1' }));
    const of = (cells: typeof all, archive: string[]) => board().with([{ cells, add: [], archive, remove: [] }]);
    const before = of(all, []);
    const spot = spotAt(before, stacksOf(before, by, null)[0]!, 'i4', 1);
    const elsewhere = all.map((cell) => (cell.item === 'i2' ? { ...cell, after: 'l2' } : cell));
    for (const table of [of(all, ['i2']), of(elsewhere, [])]) {
      const stacks = stacksOf(table, by, null);
      expect([
        aboveSpot(table, stacks, 'i4', spot),
        landingAt(table, stacks, 'i4', spot),
        besideSpot(table, stacks, 'i4', spot),
      ]).toEqual([{ above: 1, others: 2 }, 1, ['i1', 'i3']]);
    }
  });

  it('need a column with labels', () => {
    expect(stackBy('c1', [status, text])).toEqual({ kind: 'column', column: status });
    expect(stackBy('group', [])).toEqual({ kind: 'group' });
    for (const none of ['c2', 'c9', undefined]) expect(stackBy(none, [status, text])).toBeUndefined();
  });
});

it('a card steps from stack to stack and not past the last', () => {
  const stacks = stacksOf(board(), { kind: 'column', column: status }, null);
  expect(beside(stacks, 'l1', 1)).toBe('l2');
  expect(beside(stacks, NO_VALUE, 1)).toBe(NO_VALUE);
  expect(beside(stacks, 'l1', -1)).toBe('l1');
});

it('a limit warns once it is passed', () => {
  expect(fullness(7, undefined)).toEqual({ text: '7', over: false });
  expect(fullness(5, 5)).toEqual({ text: '5 of 5', over: false });
  expect(fullness(7, 5)).toEqual({ text: '7 of 5', over: true });
});
