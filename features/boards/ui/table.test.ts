/** A board as the page holds it follows what has changed without being read again. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import { BoardTable, type Changed } from './table';

const board = (revision: number) => ({ id: 'b', workspaceId: 'w', name: 'Board', revision, itemCount: 3, updatedAt: '2026-03-01T12:00:00.000Z' });
const groups = [
  { id: 'g1', name: 'To do' },
  { id: 'g2', name: 'Done' },
];
const columns = [{ id: 'c1', title: 'Note', type: 'text' as const, settings: {} }];

function read(revision: number): BoardTable {
  const table = tableFromArrays(
    { id: ['i1', 'i2', 'i3'], groupId: ['g1', 'g1', 'g2'], name: ['One', 'Two', 'Three'], c1: ['a', null, 'c'] },
    { types: { id: utf8(), groupId: utf8(), name: utf8(), c1: utf8() } },
  );
  table.schema.metadata = new Map([['board', JSON.stringify({ board: board(revision), groups, columns, members: [] })]]);
  const bytes = tableToIPC(table, { format: 'stream' })!;
  return BoardTable.read(bytes.slice().buffer);
}

const changed = (over: Partial<Changed>): Changed => ({ board: board(5), groups, columns, members: [], items: [], moved: [], removed: [], reload: false, ...over });
const item = (id: string, over: Partial<Changed['items'][number]>) => ({ id, groupId: 'g1', name: id, position: 1, createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:00:00.000Z', cells: {}, ...over });

/** Group heads by name, and items as name and note. */
const shown = (table: BoardTable) => table.lines.map((line) => (typeof line === 'number' ? `${String(table.cell(line, 'name'))}=${String(table.cell(line, 'c1'))}` : line.group.name));

describe('a board that is followed', () => {
  it('shows items changed, added, regrouped and gone', () => {
    const table = read(4).patched(
      changed({
        items: [item('i2', { name: 'Two!', groupId: 'g2', cells: { c1: 'b' } }), item('i5', { name: 'Five', position: 50 }), item('i4', { name: 'Four', position: 40 })],
        removed: ['i1'],
      }),
    )!;
    expect(shown(table)).toEqual(['To do', 'Four=null', 'Five=null', 'Done', 'Two!=b', 'Three=c']);
    expect(table.count).toBe(4);
    expect(table.lines.map((line) => (typeof line === 'number' ? table.id(line) : ''))).toEqual(['', 'i4', 'i5', '', 'i2', 'i3']);
    const later = table.patched(changed({ board: board(6), items: [item('i4', { name: 'Four again', position: 40 })], removed: ['i5'] }))!;
    expect(shown(later)).toEqual(['To do', 'Four again=null', 'Done', 'Two!=b', 'Three=c']);
  });

  it('shows an item again that was deleted and brought back', () => {
    const without = read(4).patched(changed({ removed: ['i1'] }))!;
    expect(without.count).toBe(2);
    const back = without.patched(changed({ board: board(6), items: [item('i1', { name: 'One', cells: { c1: 'a' } })] }))!;
    expect(shown(back)).toEqual(['To do', 'One=a', 'Two=null', 'Done', 'Three=c']);
  });

  it('keeps an edit until a change holds it', () => {
    const edited = read(4).edited('i1', 'c1', 'mine', 6).edited('i3', 'c1', 'saving', 0);
    const before = edited.patched(changed({ items: [item('i1', { name: 'One', cells: { c1: 'theirs' } })] }))!;
    expect(shown(before)).toEqual(['To do', 'One=mine', 'Two=null', 'Done', 'Three=saving']);
    const after = before.patched(changed({ board: board(6), items: [item('i1', { name: 'One', cells: { c1: 'kept' } })] }))!;
    expect(shown(after)).toEqual(['To do', 'One=kept', 'Two=null', 'Done', 'Three=saving']);
  });

  it('is read again when items moved, columns changed or too much happened', () => {
    const table = read(4);
    expect(table.patched(changed({ reload: true }))).toBeNull();
    expect(table.patched(changed({ moved: ['i1'] }))).toBeNull();
    expect(table.patched(changed({ columns: [] }))).toBeNull();
    // The results of another formula may be of another type, which the rows that were read are not.
    expect(table.patched(changed({ columns: [{ ...columns[0]!, type: 'formula', settings: { result: 'number' } }] }))).toBeNull();
    expect(table.patched(changed({ columns: [{ ...columns[0]!, type: 'formula', settings: { result: 'text' } }] }))).not.toBeNull();
  });
});
