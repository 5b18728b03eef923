/** Subitems: how far an item's are, and what adds, orders and frees them. */
import { meansDone, type Column } from './data';
import { beside, newId, type Parts } from './outbox/step';
import { PARENT } from './places';
import type { BoardTable } from './table';

/** The first status column, and its labels that mean done. */
export function doneBy(columns: readonly Column[]): { column: Column; labels: ReadonlySet<string> } | null {
  const column = columns.find((one) => one.type === 'status');
  if (!column) return null;
  const labels = column.settings.labels ?? [];
  const isMarked = labels.some((label) => label.done);
  const done = labels.filter((label) => (isMarked ? label.done : meansDone(label.text)));
  return { column, labels: new Set(done.map((label) => label.id)) };
}

export interface Progress {
  count: number;
  /** How many of them are done; `null` where the board has no status column. */
  done: number | null;
}

/** How many subitems an item has and how many are done; `null` where it has none. */
export function progressOf(table: BoardTable, item: string): Progress | null {
  const rows = table.subitems.get(item);
  if (!rows) return null;
  const by = doneBy(table.meta.columns);
  const isDone = (row: number) => by?.labels.has(String(table.cell(row, by.column.id) ?? '')) ?? false;
  return { count: rows.length, done: by && rows.filter(isDone).length };
}

/** How many subitems a board has. */
export function subitemCount(table: BoardTable): number {
  let count = 0;
  for (const rows of table.subitems.values()) count += rows.length;
  return count;
}

export const countedSubitems = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'subitem' : 'subitems'}`;

/** In words: "2 of 5 subitems done". */
export const progressText = ({ count, done }: Progress) => (done === null ? countedSubitems(count) : `${done.toLocaleString()} of ${countedSubitems(count)} done`);

/** A subitem that is to be added, as part of a step. */
export const newSubitem = (parentId: string, name: string): Parts => ({ add: [{ id: newId(), name, parentId, cells: {} }] });

/** One that is to stand elsewhere among its parent's, as part of a step. */
export function movedSubitem(ids: readonly string[], from: number, to: number): Parts {
  const item = ids[from]!;
  const others = ids.filter((one) => one !== item);
  return { cells: [beside(item, [others[to - 1] ?? '', others[to] ?? ''])] };
}

/** One that is to be an item of its own, as part of a step. */
export const freedSubitem = (item: string, parent: string): Parts => ({ cells: [{ item, column: PARENT, before: parent, after: null }] });
