/** Focus movement in a table, and the required scrolling. */
import { isReadOnly } from '../data';
import { GUTTER_PX, type ShownColumn } from './columns';
import type { GridLine } from './lines';
import type { Place } from './selection';

/** Horizontal scroll offset that shows a column next to the frozen ones, completely if there is room. */
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

/** Target of Tab: at the end of a line, the next item's first editable cell; the same cell if there is none. */
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
