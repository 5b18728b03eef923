/** The stacks of a kanban and what stands in each, in the order of the board. */
import type { CellValue, Column, Group } from '../data';
import type { BoardTable } from '../table';
import { BY_GROUP } from '../views/columns';

/** Key of the stack of items without a value. */
export const NO_VALUE = '';

export interface Stack {
  /** A label's or a group's id; empty for items without a value. */
  key: string;
  name: string;
  color?: string | undefined;
  done?: boolean | undefined;
  /** Rows of the board. */
  rows: readonly number[];
}

/** What the stacks are by: a column with labels, or the groups. */
export type StackBy = { kind: 'group' } | { kind: 'column'; column: Column };

/** What a view's settings name; `undefined` where there is no such column any more. */
export function stackBy(byColumn: string | undefined, columns: readonly Column[]): StackBy | undefined {
  if (byColumn === BY_GROUP) return { kind: 'group' };
  const column = columns.find((one) => one.id === byColumn);
  return column && (column.type === 'status' || column.type === 'dropdown') ? { kind: 'column', column } : undefined;
}

/** The stacks, each with its rows. `rows` are those of the view in order, or null for all. */
export function stacksOf(table: BoardTable, by: StackBy, rows: Iterable<number> | null): Stack[] {
  const heads = by.kind === 'group' ? table.meta.groups.map(ofGroup) : labelsOf(by.column);
  const byKey = new Map<CellValue, number[]>(heads.map((head) => [head.key, []]));
  const stray = byKey.get(NO_VALUE);
  const put = (row: number, key: CellValue) => (byKey.get(key ?? NO_VALUE) ?? stray)?.push(row);
  if (by.kind === 'column') {
    const { id } = by.column;
    for (const row of rows ?? itemsOf(table)) put(row, table.cell(row, id));
  } else {
    const groups = groupsOf(table);
    for (const row of rows ?? itemsOf(table)) put(row, groups.get(row) ?? null);
  }
  return heads.map((head) => ({ ...head, rows: byKey.get(head.key) ?? [] }));
}

const ofGroup = (group: Group) => ({ key: group.id, name: group.name, color: group.color });

function labelsOf(column: Column) {
  const labels = (column.settings.labels ?? []).map((label) => ({ key: label.id, name: label.text, color: label.color, done: label.done }));
  return [...labels, { key: NO_VALUE, name: 'No value', color: undefined, done: undefined }];
}

/** Every item's row in the board's order. */
export function* itemsOf(table: BoardTable): Generator<number> {
  for (const line of table.lines) if (typeof line === 'number') yield line;
}

/** The group of each row. */
export function groupsOf(table: BoardTable): ReadonlyMap<number, string> {
  const groups = new Map<number, string>();
  let group = '';
  for (const line of table.lines) {
    if (typeof line === 'number') groups.set(line, group);
    else group = line.group.id;
  }
  return groups;
}

/** The stack `by` steps beside another, staying among them. */
export function beside(stacks: readonly Stack[], key: string, by: number): string {
  const at = stacks.findIndex((stack) => stack.key === key) + by;
  return stacks[Math.max(0, Math.min(at, stacks.length - 1))]?.key ?? key;
}

/** How full a stack is against its limit. A limit warns and refuses nothing. */
export function fullness(count: number, limit: number | undefined): { text: string; over: boolean } {
  if (limit === undefined || !(limit > 0)) return { text: count.toLocaleString(), over: false };
  return { text: `${count.toLocaleString()} of ${limit.toLocaleString()}`, over: count > limit };
}
