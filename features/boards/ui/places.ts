/** Rows that stand elsewhere than their number says, since their items were moved or came back. */

/** By row those that stand behind it, in their order; behind `FIRST` those that stand before all. A row that stands in one of the lists is no key. */
export type Places = ReadonlyMap<number, readonly number[]>;

export const FIRST = -1;

/** Every row where its number says. */
export const BY_NUMBER: Places = new Map();

/** The part of an item that says where it stands: a step gives it the ids of the items that it is to stand behind and before, empty where none. */
export const PLACE = 'place';

/** The part of an item that says whose subitem it is; a step gives it the id of that one, or nothing. */
export const PARENT = 'parentId';

/** The row that one stands behind, shown or not; `FIRST` where it is the first. */
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

/** Rows given another place: each behind the one beside it, in the order in which they stand then. */
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

/** Shows so many rows in the order in which they stand. */
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
