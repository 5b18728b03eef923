/** Subitems: progress, adding, sorting, and converting to items. */
import { categoryOf, type Category, type Column } from './data';
import { beside, newId, type Parts } from './outbox/step';
import { PARENT } from './places';
import type { BoardTable } from './table';

/** The first status column, and its labels that mean done and canceled. */
export function doneBy(
  columns: readonly Column[],
): { column: Column; labels: ReadonlySet<string>; canceled: ReadonlySet<string> } | null {
  const column = columns.find((one) => one.type === 'status');
  if (!column) return null;
  const labels = column.settings.labels ?? [];
  const idsOf = (category: Category) =>
    new Set(labels.filter((label) => categoryOf(label, labels) === category).map((label) => label.id));
  return { column, labels: idsOf('done'), canceled: idsOf('canceled') };
}

export interface Progress {
  count: number;
  /** How many of them are done; `null` where the board has no status column. */
  done: number | null;
  /** How many are canceled: they are not part of the work any more. */
  canceled: number;
}

/** How many subitems an item has, and how many are done and canceled; `null` where it has none. */
export function progressOf(table: BoardTable, item: string): Progress | null {
  const rows = table.subitems.get(item);
  if (!rows) return null;
  const by = doneBy(table.meta.columns);
  const count = (labels: ReadonlySet<string>, column: string) =>
    rows.filter((row) => labels.has(String(table.cell(row, column) ?? ''))).length;
  return {
    count: rows.length,
    done: by && count(by.labels, by.column.id),
    canceled: by ? count(by.canceled, by.column.id) : 0,
  };
}

/** How many subitems a board has. */
export function subitemCount(table: BoardTable): number {
  let count = 0;
  for (const rows of table.subitems.values()) count += rows.length;
  return count;
}

export const countedSubitems = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'subitem' : 'subitems'}`;

/** In words: "2 of 5 subitems done, 1 canceled". */
export function progressText({ count, done, canceled }: Progress) {
  if (done === null) return countedSubitems(count);
  if (canceled === count) return `${countedSubitems(count)} canceled`;
  return `${done.toLocaleString()} of ${countedSubitems(count - canceled)} done${canceled ? `, ${canceled.toLocaleString()} canceled` : ''}`;
}

/** A subitem that is to be added, as part of a step. */
export const newSubitem = (parentId: string, name: string): Parts => ({
  add: [{ id: newId(), name, parentId, cells: {} }],
});

/** Part of a step: moves a subitem among its parent's. */
export function movedSubitem(ids: readonly string[], from: number, to: number): Parts {
  const item = ids[from]!;
  const others = ids.filter((one) => one !== item);
  return { cells: [beside(item, [others[to - 1] ?? '', others[to] ?? ''])] };
}

/** One that is to be an item of its own, as part of a step. */
export const freedSubitem = (item: string, parent: string): Parts => ({
  cells: [{ item, column: PARENT, before: parent, after: null }],
});
