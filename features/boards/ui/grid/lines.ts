/** Lines of a table: group headers, items in the view's order with expanded subitems, and totals. */
import type { Group } from '../data';
import type { BoardTable, Line } from '../table';

/** A group's head, the row of an item or a subitem, the line that adds a subitem to an item, or the totals of a group. */
export type GridLine =
  | { group: Group; count: number; subitems: number; isFolded: boolean }
  | { addTo: string }
  | { totalsOf: Group }
  | number;

interface Options {
  /** Rows of the view; the board's own where `null`. */
  rows: Uint32Array | null;
  folded: readonly string[];
  /** Items whose subitems are shown below them. */
  unfolded?: ReadonlySet<string>;
  /** Whether each group is followed by what its items come to. */
  hasTotals: boolean;
}

/** The place of a row that is in no group: there are never so many groups. */
const NOWHERE = 0xffff;

/** Each row's group by its place, for as long as nothing but cells changed. */
const places = new WeakMap<readonly Line[], Uint16Array>();

function placesOf(table: BoardTable): Uint16Array {
  const known = places.get(table.lines);
  if (known) return known;
  let last = 0;
  for (const line of table.lines) if (typeof line === 'number' && line > last) last = line;
  const made = new Uint16Array(last + 1).fill(NOWHERE);
  let group = -1;
  for (const line of table.lines) {
    if (typeof line === 'number') made[line] = group;
    else group += 1;
  }
  places.set(table.lines, made);
  return made;
}

/**
 * Items by group in order, with subitems below their parents. Empty groups are shown only if no search or filter
 * applies.
 */
export function linesOf(table: BoardTable, { rows, folded, unfolded, hasTotals }: Options): GridLine[] {
  const { groups } = table.meta;
  const byGroup: number[][] = groups.map(() => []);
  if (rows) {
    const place = placesOf(table);
    // A row that has just gone has no place until the view is asked again.
    for (const row of rows) byGroup[place[row] ?? NOWHERE]?.push(row);
  } else {
    let group = -1;
    for (const line of table.lines) {
      if (typeof line === 'number') byGroup[group]!.push(line);
      else group += 1;
    }
  }
  const isChosen = rows !== null && rows.length < table.count;
  const lines: GridLine[] = [];
  groups.forEach((group, at) => {
    const items = byGroup[at]!;
    if (isChosen && items.length === 0) return;
    const isFolded = folded.includes(group.id);
    let subitems = 0;
    if (table.subitems.size > 0) for (const row of items) subitems += table.subitems.get(table.id(row))?.length ?? 0;
    lines.push({ group, count: items.length, subitems, isFolded });
    if (isFolded) return;
    for (const row of items) {
      lines.push(row);
      if (!unfolded || unfolded.size === 0) continue;
      const id = table.id(row);
      if (unfolded.has(id)) lines.push(...(table.subitems.get(id) ?? []), { addTo: id });
    }
    if (hasTotals && items.length > 0) lines.push({ totalsOf: group });
  });
  return lines;
}

/** Lines, and the table that their rows are of. */
export interface Drawn {
  table: BoardTable;
  lines: readonly GridLine[];
}

/** The new index of a line's content; -1 if it was removed. Lines without an item or group keep their index. */
export function followed(line: number, before: Drawn, now: Drawn): number {
  const was = before.lines[line];
  if (typeof was === 'number') {
    const row = now.table.row(before.table.id(was));
    // Most often nothing above it has changed.
    return row === undefined ? -1 : now.lines[line] === row ? line : now.lines.indexOf(row);
  }
  if (was !== undefined && 'group' in was)
    return now.lines.findIndex((one) => typeof one === 'object' && 'group' in one && one.group.id === was.group.id);
  if (was !== undefined && 'addTo' in was)
    return now.lines.findIndex((one) => typeof one === 'object' && 'addTo' in one && one.addTo === was.addTo);
  return line < now.lines.length ? line : -1;
}

/** The number of each line's item, counted from 1 over the items that are shown; of other lines, that of the item above. */
export function numbersOf(lines: readonly GridLine[]): Uint32Array {
  const numbers = new Uint32Array(lines.length);
  let count = 0;
  lines.forEach((line, at) => {
    if (typeof line === 'number') count += 1;
    numbers[at] = count;
  });
  return numbers;
}
