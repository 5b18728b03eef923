/** Rows displayed elsewhere than at their number, because their items were moved or restored. */

/**
 * Moved rows by the row that they follow, in order; those that come first are under `FIRST`. Moved rows are never keys.
 */
export type Places = ReadonlyMap<number, readonly number[]>;

export const FIRST = -1;

/** No moved rows. */
export const BY_NUMBER: Places = new Map();

/** Name of an item's position in a step; its value is the IDs of the items before and after, empty where none. */
export const PLACE = 'place';

/** Name of an item's parent in a step; its value is the parent's ID or null. */
export const PARENT = 'parentId';

/** The row before this one, visible or not; `FIRST` if there is none. */
export function rowBefore(places: Places, row: number): number {
  const anchors = new Map([...places].flatMap(([anchor, rows]) => rows.map((one) => [one, anchor] as const)));
  const anchor = anchors.get(row);
  if (anchor !== undefined) {
    const rows = places.get(anchor)!;
    return rows[rows.indexOf(row) - 1] ?? anchor;
  }
  let before = row - 1;
  while (before >= 0 && anchors.has(before)) before -= 1;
  return places.get(before)?.at(-1) ?? before;
}

/** Moves rows: each follows the given one, in the order of the moves. */
export function placed(places: Places, moves: readonly (readonly [row: number, after: number])[]): Places {
  const behind = new Map([...places].map(([row, rows]) => [row, [...rows]]));
  const anchors = new Map([...places].flatMap(([row, rows]) => rows.map((one) => [one, row] as const)));
  const rowsBehind = (row: number) => {
    const rows = behind.get(row) ?? [];
    behind.set(row, rows);
    return rows;
  };
  for (const [row] of moves) {
    const anchor = anchors.get(row);
    if (anchor !== undefined) {
      const rows = rowsBehind(anchor);
      rows.splice(rows.indexOf(row), 1);
      continue;
    }
    // Those behind it stay where they are.
    let before = row - 1;
    while (before >= 0 && anchors.has(before)) before--;
    const left = behind.get(row) ?? [];
    behind.delete(row);
    for (const one of left) anchors.set(one, before);
    rowsBehind(before).push(...left);
    anchors.set(row, before);
  }
  for (const [row, after] of moves) {
    const anchor = anchors.get(after);
    const rows = rowsBehind(anchor ?? after);
    rows.splice(anchor === undefined ? 0 : rows.indexOf(after) + 1, 0, row);
    anchors.set(row, anchor ?? after);
  }
  for (const [row, rows] of behind) if (rows.length === 0) behind.delete(row);
  return behind;
}

/** Calls `show` for this many rows in display order. */
export function inOrder(count: number, places: Places, show: (row: number) => void): void {
  const elsewhere = new Set([...places.values()].flat());
  places.get(FIRST)?.forEach(show);
  for (let row = 0; row < count; row++) {
    if (elsewhere.size > 0) {
      if (elsewhere.has(row)) continue;
      show(row);
      places.get(row)?.forEach(show);
    } else show(row);
  }
}
