/** Items on days: where a view's column places each, and the changes for moving one. */
import { cellSpan, dayText, orderedSpan, type DaySpan } from '@shell/dates';
import type { CellValue, Column } from '../data';
import { itemsOf } from '../kanban/stacks';
import type { BoardTable } from '../table';
import { isSpan } from './columns';
import type { ViewSettings } from './data';
import type { CellChange } from './useMoves';

/** The columns that place items: one that holds a span or a day, or two days. */
export interface Placing {
  start: Column;
  /** A second date column, on which the item ends. */
  end?: Column;
}

/** The columns named in a view's settings; `undefined` if they don't exist. */
export function placingOf(settings: ViewSettings, columns: readonly Column[], withEnd: boolean): Placing | undefined {
  const start = columns.find(
    (column) => column.id === settings.dateColumn && (column.type === 'date' || isSpan(column)),
  );
  if (!start) return undefined;
  const end =
    withEnd && !isSpan(start)
      ? columns.find((column) => column.id === settings.endColumn && column.id !== start.id && column.type === 'date')
      : undefined;
  return end ? { start, end } : { start };
}

/** The days of an item, or null where it has none. */
export function spanAt(table: BoardTable, row: number, { start, end }: Placing): DaySpan | null {
  const span = cellSpan(table.cell(row, start.id));
  if (!end) return span;
  return orderedSpan(span?.from ?? null, cellSpan(table.cell(row, end.id))?.from ?? null);
}

/** Whether an item ends before it starts; it's shown on the same days anyway. */
export function isReversed(table: BoardTable, row: number, { start, end }: Placing): boolean {
  if (!end) return false;
  const [first, last] = [start, end].map((column) => cellSpan(table.cell(row, column.id))?.from);
  return first !== undefined && last !== undefined && last < first;
}

/** Whether an item can last longer than a day. */
export const canStretch = ({ start, end }: Placing) => end !== undefined || isSpan(start);

/** Cell changes that move an item to these days; null removes its date. */
export function changesFor(table: BoardTable, row: number, { start, end }: Placing, to: DaySpan | null): CellChange[] {
  const change = (column: Column, value: CellValue): CellChange[] => {
    const from = table.cell(row, column.id);
    return JSON.stringify(from) === JSON.stringify(value) ? [] : [{ column, from, to: value }];
  };
  if (isSpan(start)) return change(start, to && { from: dayText(to.from), to: dayText(to.to) });
  const first = change(start, to && dayText(to.from));
  if (!end) return first;
  // An item that has no end yet gets one only if it lasts longer than its day.
  const isOpen = table.cell(row, end.id) === null && to !== null && to.from === to.to;
  return isOpen ? first : [...first, ...change(end, to && dayText(to.to))];
}

/** An item on its days. */
export interface Placed extends DaySpan {
  row: number;
}

/** Reads the days of many items. Caches parsed dates, because most items share a few. */
function spanReader(table: BoardTable, { start, end }: Placing): (row: number) => DaySpan | null {
  const read = (column: Column) => {
    const cell = table.reader(column.id);
    if (isSpan(column)) return (row: number) => cellSpan(cell(row));
    const known = new Map<CellValue, DaySpan | null>();
    return (row: number) => {
      const value = cell(row);
      let span = known.get(value);
      if (span === undefined) known.set(value, (span = cellSpan(value)));
      return span;
    };
  };
  const first = read(start);
  if (!end) return first;
  const last = read(end);
  return (row) => orderedSpan(first(row)?.from ?? null, last(row)?.from ?? null);
}

/** Whether a view with these rows shows an item; called on each drag movement. */
export function isShown(table: BoardTable, rows: Iterable<number> | null, item: string): boolean {
  const row = table.row(item);
  if (row === undefined || rows === null) return row !== undefined;
  for (const one of rows) if (one === row) return true;
  return false;
}

/** Items with days, in the order of the days and then of the view, and the rows of those without. */
export function placedItems(
  table: BoardTable,
  placing: Placing,
  rows: Iterable<number> | null,
): { placed: Placed[]; without: number[] } {
  const byDay = new Map<number, Placed[]>();
  const without: number[] = [];
  const spanOfRow = spanReader(table, placing);
  for (const row of rows ?? itemsOf(table)) {
    const span = spanOfRow(row);
    if (!span) {
      without.push(row);
      continue;
    }
    const placed = { row, from: span.from, to: span.to };
    const ofDay = byDay.get(span.from);
    if (ofDay) ofDay.push(placed);
    else byDay.set(span.from, [placed]);
  }
  const days = [...byDay.keys()].sort((a, b) => a - b);
  // Sorting is stable: items of one day keep the order of the view. Longer ones stand above shorter ones.
  return { placed: days.flatMap((day) => byDay.get(day)!.sort((a, b) => b.to - a.to)), without };
}

/** The item nearest to the visible days, and its nearest day; null if one is visible or none exists. */
export function nearestOutside(placed: Iterable<Placed>, view: DaySpan): { row: number; day: number } | null {
  let nearest: { row: number; day: number; away: number } | null = null;
  for (const { row, from, to } of placed) {
    if (from <= view.to && to >= view.from) return null;
    const [day, away] = from > view.to ? [from, from - view.to] : [to, view.from - to];
    if (!nearest || away < nearest.away) nearest = { row, day, away };
  }
  return nearest && { row: nearest.row, day: nearest.day };
}

/** A part of an item within one week. */
export interface Piece {
  row: number;
  /** Columns of the week, counted from 0. */
  first: number;
  last: number;
  lane: number;
  /** Whether the item goes on before or after this week. */
  opens: boolean;
  closes: boolean;
}

/** The pieces of items in the `days` days from `start`, each in the first lane that is free. `placed` is in order of days. */
export function lanesOf(placed: readonly Placed[], start: number, days: number): Piece[] {
  const end = start + days - 1;
  const free: number[] = [];
  const pieces: Piece[] = [];
  for (const { row, from, to } of placed) {
    if (from > end) break;
    if (to < start) continue;
    const first = Math.max(from, start) - start;
    const last = Math.min(to, end) - start;
    let lane = free.findIndex((until) => until < first);
    if (lane < 0) lane = free.length;
    free[lane] = last;
    pieces.push({ row, first, last, lane, opens: from >= start, closes: to <= end });
  }
  return pieces;
}

/**
 * Fits a week's items into lanes: the visible pieces, and each day's number of hidden ones, which is shown in the last
 * lane.
 */
export function fitting(pieces: readonly Piece[], lanes: number, days: number): { shown: Piece[]; more: number[] } {
  const counts = Array.from({ length: days }, () => 0);
  for (const piece of pieces)
    for (let day = piece.first; day <= piece.last; day++) counts[day] = Math.max(counts[day]!, piece.lane + 1);
  const isFull = counts.map((count) => count > lanes);
  const most = (piece: Piece) => {
    for (let day = piece.first; day <= piece.last; day++) if (isFull[day]) return lanes - 1;
    return lanes;
  };
  const more = Array.from({ length: days }, () => 0);
  const shown = pieces.filter((piece) => {
    if (piece.lane < most(piece)) return true;
    for (let day = piece.first; day <= piece.last; day++) more[day]!++;
    return false;
  });
  return { shown, more };
}
