/** Where the focus of a table goes from a cell, and what has to be scrolled for it to be seen. */
import { isReadOnly } from '../data';
import { GUTTER_PX, type ShownColumn } from './columns';
import type { GridLine } from './lines';
import type { Place } from './selection';

/** How far a table is scrolled to the side so that a column stands beside the frozen ones, whole where there is room for it. */
export function scrolledTo(shown: readonly ShownColumn[], at: number, scrollLeft: number, width: number): number {
  const column = shown[at];
  if (!column || column.left !== null) return scrollLeft;
  const widthOf = (columns: readonly ShownColumn[]) => columns.reduce((sum, one) => sum + one.width, GUTTER_PX);
  const covered = widthOf(shown.filter(({ left }) => left !== null));
  const from = widthOf(shown.slice(0, at));
  const latest = from - covered;
  const earliest = Math.min(latest, from + column.width - width);
  return Math.max(0, Math.min(latest, Math.max(earliest, scrollLeft)));
}

/** The cell that Tab goes to: past the end of a line the first that takes a value of the next item. The same cell where there is none. */
export function tabbed(lines: readonly GridLine[], shown: readonly ShownColumn[], from: Place, by: number): Place {
  const column = from.column + by;
  if (column >= 0 && column < shown.length) return { line: from.line, column };
  const takes = shown.flatMap((one, at) => (isReadOnly(one.column) ? [] : [at]));
  const end = by > 0 ? takes[0] : takes.at(-1);
  for (let line = from.line + by; end !== undefined && line >= 0 && line < lines.length; line += by) {
    if (typeof lines[line] === 'number') return { line, column: end };
  }
  return from;
}
