/** A board as the page holds it follows what has changed without being read again. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import { BoardTable, type Changed, type OnItsWay } from './table';

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

  it('says how many items the last reading brought, whatever is on its way', () => {
    const table = read(4);
    const onItsWay = [{ cells: [{ item: 'i1', column: 'c1', after: 'mine' }], add: [], archive: [], remove: [] }];
    expect([table.news, table.with(onItsWay).news]).toEqual([3, 3]);
    const later = table.patched(changed({ items: [item('i2', {})], removed: ['i3'] }))!;
    expect([later.news, later.with(onItsWay).news]).toEqual([2, 2]);
  });

  it('shows an item again that was deleted and brought back', () => {
    const without = read(4).patched(changed({ removed: ['i1'] }))!;
    expect(without.count).toBe(2);
    const back = without.patched(changed({ board: board(6), items: [item('i1', { name: 'One', cells: { c1: 'a' } })] }))!;
    expect(shown(back)).toEqual(['To do', 'One=a', 'Two=null', 'Done', 'Three=c']);
  });

  it('shows what is on its way above what it holds', () => {
    const none = { cells: [], add: [], archive: [], remove: [] };
    const table = read(4);
    const steps: OnItsWay[] = [
      { ...none, add: [{ id: 'n1', name: 'New', groupId: 'g2', cells: { c1: 'n' } }, { id: 'n2', name: 'Other', cells: {} }] },
      { ...none, cells: [{ item: 'i1', column: 'c1', after: 'mine' }, { item: 'n1', column: 'name', after: 'Newer' }, { item: 'i2', column: 'groupId', after: 'g2' }] },
      { ...none, remove: ['i3'], archive: ['n2'] },
    ];
    expect(shown(table.with(steps))).toEqual(['To do', 'One=mine', 'Done', 'Two=null', 'Newer=n']);
    expect(shown(table.with(steps.slice(1, 2)))).toEqual(['To do', 'One=mine', 'Done', 'Two=null', 'Three=c']);
    expect(shown(table)).toEqual(['To do', 'One=a', 'Two=null', 'Done', 'Three=c']);
    // What arrived meanwhile is not doubled.
    const later = table.patched(changed({ items: [item('n1', { name: 'New', groupId: 'g2', cells: { c1: 'n' } })] }))!;
    expect(shown(later.with(steps))).toEqual(['To do', 'One=mine', 'Done', 'Two=null', 'Newer=n']);
  });

  it('empties a cell on its way', () => {
    const table = read(4).with([{ cells: [{ item: 'i1', column: 'c1', after: null }], add: [], archive: [], remove: [] }]);
    expect(shown(table)[1]).toBe('One=null');
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
