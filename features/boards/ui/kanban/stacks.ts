/** Stacks of a kanban and their items, in the order shared by all views of the board. */
import { categoryOf, type Category, type CellValue, type Column, type Group } from '../data';
import type { BoardTable } from '../table';
import { BY_GROUP } from '../views/columns';
import type { Beside } from '../views/useMoves';

/** Key of the stack of items without a value. */
export const NO_VALUE = '';

export interface Stack {
  /** A label's or a group's id; empty for items without a value. */
  key: string;
  name: string;
  color?: string | undefined;
  category?: Category | undefined;
  /** Rows of the board. */
  rows: readonly number[];
}

/** What stacks are based on: a label column or the groups. */
export type StackBy = { kind: 'group' } | { kind: 'column'; column: Column };

/** The column named in a view's settings; `undefined` if it no longer exists. */
export function stackBy(byColumn: string | undefined, columns: readonly Column[]): StackBy | undefined {
  if (byColumn === BY_GROUP) return { kind: 'group' };
  const column = columns.find((one) => one.id === byColumn);
  return column && (column.type === 'status' || column.type === 'dropdown') ? { kind: 'column', column } : undefined;
}

/** The stacks, each with its rows. `rows` are those of the view, or null for all; their own order counts where it is sorted. */
export function stacksOf(table: BoardTable, by: StackBy, rows: Iterable<number> | null, isSorted = false): Stack[] {
  const heads = by.kind === 'group' ? table.meta.groups.map(ofGroup) : labelsOf(by.column);
  const byKey = new Map<CellValue, number[]>(heads.map((head) => [head.key, []]));
  const stray = byKey.get(NO_VALUE);
  const put = (row: number, key: CellValue) => (byKey.get(key ?? NO_VALUE) ?? stray)?.push(row);
  const key = by.kind === 'column' ? table.reader(by.column.id) : table.groups();
  const inView = isSorted && rows ? rows : among(table.items, rows);
  for (const row of inView) put(row, key(row));
  return heads.map((head) => ({ ...head, rows: byKey.get(head.key) ?? [] }));
}

/**
 * Filters the items to the visible ones but preserves their order, so moved cards appear in place before the view is
 * reloaded.
 */
function among(items: readonly number[], rows: Iterable<number> | null): readonly number[] {
  if (!rows) return items;
  const shown = new Set(rows);
  return items.filter((row) => shown.has(row));
}

const ofGroup = (group: Group) => ({ key: group.id, name: group.name, color: group.color });

function labelsOf(column: Column) {
  const all = column.settings.labels ?? [];
  const labels = all.map((label) => ({
    key: label.id,
    name: label.text,
    color: label.color,
    category: categoryOf(label, all),
  }));
  return [...labels, { key: NO_VALUE, name: 'No value', color: undefined, category: undefined }];
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

/** The stack `by` steps from another, limited to the existing ones. */
export function beside(stacks: readonly Stack[], key: string, by: number): string {
  const at = stacks.findIndex((stack) => stack.key === key) + by;
  return stacks[Math.max(0, Math.min(at, stacks.length - 1))]?.key ?? key;
}

/** Where a card is let go: in a stack, before one of its cards or behind all; without that where its place on the board is. */
export interface Spot {
  stack: string;
  before?: string | null;
  /** How many others were above it when it was chosen: what counts once the card that it is before is put away or elsewhere. */
  above?: number;
}

/** The cards of a stack but for one item's. */
const without = (table: BoardTable, stack: Stack | undefined, item: string) => {
  const row = table.row(item);
  return stack?.rows.filter((one) => one !== row) ?? [];
};

/** The spot that so many other cards of a stack are above, as far as it has so many. */
export function spotAt(table: BoardTable, stack: Stack, item: string, above: number): Spot {
  const others = without(table, stack, item);
  const at = Math.max(0, Math.min(above, others.length));
  return { stack: stack.key, before: at < others.length ? table.id(others[at]!) : null, above: at };
}

/** How many other cards of its stack are above a spot, and how many there are. */
export function aboveSpot(
  table: BoardTable,
  stacks: readonly Stack[],
  item: string,
  { stack, before, above = Infinity }: Spot,
): { above: number; others: number } {
  const rows = without(
    table,
    stacks.find(({ key }) => key === stack),
    item,
  );
  if (typeof before !== 'string') return { above: rows.length, others: rows.length };
  const at = rows.indexOf(table.row(before) ?? -1);
  return { above: at < 0 ? Math.min(above, rows.length) : at, others: rows.length };
}

/** The card of its stack that a spot is before, counted with the one that is carried; behind all there is none. */
export function landingAt(table: BoardTable, stacks: readonly Stack[], item: string, spot: Spot): number {
  const rows = stacks.find(({ key }) => key === spot.stack)?.rows ?? [];
  const own = rows.indexOf(table.row(item) ?? -1);
  const { above, others } = aboveSpot(table, stacks, item, spot);
  if (above === others) return rows.length;
  return own >= 0 && own <= above ? above + 1 : above;
}

/** Between which items a spot is; `null` where it names no place. */
export function besideSpot(table: BoardTable, stacks: readonly Stack[], item: string, spot: Spot): Beside | null {
  const rows = without(
    table,
    stacks.find(({ key }) => key === spot.stack),
    item,
  );
  if (spot.before === undefined || rows.length === 0) return null;
  const { above } = aboveSpot(table, stacks, item, spot);
  const idAt = (at: number) => (rows[at] === undefined ? '' : table.id(rows[at]));
  return [idAt(above - 1), idAt(above)];
}

/** How full a stack is. Limits only warn. */
export function fullness(count: number, limit: number | undefined): { text: string; over: boolean } {
  if (limit === undefined || !(limit > 0)) return { text: count.toLocaleString(), over: false };
  return { text: `${count.toLocaleString()} of ${limit.toLocaleString()}`, over: count > limit };
}
