/** Selection in a table: rectangles of lines and columns, the last one active. */
import type { GridLine } from './lines';

export interface Place {
  line: number;
  column: number;
}

/** A rectangle from the cell where it was begun to the one where it ends now. */
export interface Range {
  from: Place;
  to: Place;
  /** It was chosen as items, not as cells: by the heads of rows. */
  isItems?: true;
}

export interface Box {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export const boxOf = ({ from, to }: Range): Box => ({
  top: Math.min(from.line, to.line),
  bottom: Math.max(from.line, to.line),
  left: Math.min(from.column, to.column),
  right: Math.max(from.column, to.column),
});

export const within = (box: Box, line: number, column: number) =>
  line >= box.top && line <= box.bottom && column >= box.left && column <= box.right;

/** Cells that are selected: the rows of items and the columns of the last rectangle, with the rows of others that have the same columns. */
export function selectedCells(
  ranges: readonly Range[],
  lines: readonly GridLine[],
): { lines: number[]; columns: number[] } {
  const boxes = ranges.map(boxOf);
  const last = boxes.at(-1);
  if (!last) return { lines: [], columns: [] };
  const chosen = new Set<number>();
  for (const box of boxes) {
    if (box.left !== last.left || box.right !== last.right) continue;
    for (let line = Math.max(0, box.top); line <= Math.min(box.bottom, lines.length - 1); line++) {
      if (typeof lines[line] === 'number') chosen.add(line);
    }
  }
  const columns = Array.from({ length: last.right - last.left + 1 }, (_, at) => last.left + at);
  return { lines: [...chosen].sort((a, b) => a - b), columns };
}

/**
 * Target of Ctrl and an arrow key, as in a spreadsheet: the last filled cell before a gap, the next filled cell after a
 * gap, or the end. `null` lines have no cell and are skipped.
 */
export function edgeFrom(at: number, by: 1 | -1, count: number, isFilled: (at: number) => boolean | null): number {
  const next = (from: number): number | null => {
    let to = from + by;
    while (to >= 0 && to < count && isFilled(to) === null) to += by;
    return to >= 0 && to < count ? to : null;
  };
  const end = by > 0 ? count - 1 : 0;
  let here = next(at);
  if (here === null) return end;
  const isRun = isFilled(at) === true && isFilled(here) === true;
  while (isRun || isFilled(here) !== true) {
    const beyond = next(here);
    if (beyond === null) return isRun ? here : end;
    if (isRun && isFilled(beyond) !== true) return here;
    here = beyond;
  }
  return here;
}

/** How many cells that are. */
export const countOf = ({ lines, columns }: { lines: readonly number[]; columns: readonly number[] }) =>
  lines.length * columns.length;
