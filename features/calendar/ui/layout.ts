/** Where entries are drawn. Each function takes the entries in order and goes through them once. */
import { addMonths, dayOfMonth, formatDay, shortDay, startOfMonth, startOfWeek } from '@shell/dates';
import { isBar, type Entry } from './model';
import { rowOf, type Axis } from './time';

export type View = 'month' | 'week' | 'day' | 'agenda';
export const VIEWS: readonly { view: View; label: string; key: string }[] = [
  { view: 'month', label: 'Month', key: 'm' },
  { view: 'week', label: 'Week', key: 'w' },
  { view: 'day', label: 'Day', key: 'd' },
  { view: 'agenda', label: 'Agenda', key: 'a' },
];

export const WEEK = 7;
const AGENDA_DAYS = 30;

/** Days that a view shows, the last exclusive. */
export interface Window {
  from: number;
  to: number;
}

export function windowOf(view: View, day: number, weekStart: number): Window {
  if (view === 'day') return { from: day, to: day + 1 };
  if (view === 'agenda') return { from: day, to: day + AGENDA_DAYS };
  const from = startOfWeek(view === 'week' ? day : startOfMonth(day), weekStart);
  if (view === 'week') return { from, to: from + WEEK };
  return { from, to: startOfWeek(startOfMonth(day, 1) - 1, weekStart) + WEEK };
}

/** The day one page on or back. */
export function turned(view: View, day: number, by: 1 | -1): number {
  if (view === 'month') return addMonths(day, by);
  return day + by * (view === 'week' ? WEEK : view === 'day' ? 1 : AGENDA_DAYS);
}

/** `March 2026`, a day, or the first and last day. */
export function titleOf(view: View, day: number, weekStart: number): string {
  if (view === 'month') return formatDay(startOfMonth(day), { month: 'long', year: 'numeric' });
  if (view === 'day') return formatDay(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const { from, to } = windowOf(view, day, weekStart);
  return `${shortDay(from)} – ${shortDay(to - 1)}`;
}

/** Where an arrow key leads from a day; undefined for other keys. */
export function dayByKey(key: string, day: number, weekStart: number): number | undefined {
  const first = startOfWeek(day, weekStart);
  const days: Record<string, number> = {
    ArrowLeft: day - 1,
    ArrowRight: day + 1,
    ArrowUp: day - WEEK,
    ArrowDown: day + WEEK,
    Home: first,
    End: first + WEEK - 1,
    PageUp: addMonths(day, -1),
    PageDown: addMonths(day, 1),
  };
  return days[key];
}

/** A part of an entry in a row of days. */
export interface Piece {
  entry: Entry;
  /** Columns, both inclusive. */
  first: number;
  last: number;
  lane: number;
  /** Whether the entry begins and ends in this row. */
  opens: boolean;
  closes: boolean;
}

/** A row of days with its pieces, by their first column, and how many entries each day hides. */
export interface Row {
  start: number;
  pieces: Piece[][];
  more: number[];
  lanes: number;
}

/**
 * Rows of `length` days from `from`, with at most `lanes` entries above each other. A day with more shows how many in its
 * last lane.
 */
export function rowsOf(entries: readonly Entry[], { from, to }: Window, length: number, lanes: number): Row[] {
  const rows = Array.from({ length: Math.ceil((to - from) / length) }, (_, at) => ({
    start: from + at * length,
    placed: [] as Piece[],
    free: [] as number[],
    more: Array.from({ length }, () => 0),
    lanes: 0,
  }));
  for (const entry of entries) {
    if (entry.last < from || entry.first >= to) continue;
    const firstRow = Math.max(0, Math.floor((entry.first - from) / length));
    const lastRow = Math.min(rows.length - 1, Math.floor((entry.last - from) / length));
    for (let at = firstRow; at <= lastRow; at++) {
      const row = rows[at]!;
      const first = Math.max(0, entry.first - row.start);
      const last = Math.min(length - 1, entry.last - row.start);
      let lane = 0;
      while (lane < row.free.length && row.free[lane]! >= first) lane++;
      if (lane >= lanes) {
        for (let day = first; day <= last; day++) row.more[day]!++;
        continue;
      }
      row.free[lane] = last;
      row.lanes = Math.max(row.lanes, lane + 1);
      const [opens, closes] = [entry.first >= row.start, entry.last < row.start + length];
      row.placed.push({ entry, first, last, lane, opens, closes });
    }
  }
  return rows.map(({ start, placed, more, lanes: used }) => {
    const pieces = Array.from({ length }, (): Piece[] => []);
    const hides = [...more];
    for (const piece of placed) {
      // The last lane of a day that hides entries says how many. No other piece is in that lane on the days of this one.
      const isHidden = piece.lane === lanes - 1 && more.slice(piece.first, piece.last + 1).some((count) => count > 0);
      if (isHidden) for (let day = piece.first; day <= piece.last; day++) hides[day]!++;
      else pieces[piece.first]!.push(piece);
    }
    return { start, pieces, more: hides, lanes: used };
  });
}

/** A part of an entry in a day's column of time. */
export interface Block {
  entry: Entry;
  /** Rows of the axis. */
  from: number;
  to: number;
  /** Which of how many columns beside each other. */
  column: number;
  columns: number;
  opens: boolean;
  closes: boolean;
}

/** Shorter entries are drawn this long, so that their title fits. */
const BLOCK_MINUTES_MIN = 20;

/** The row that an entry ends before, also at midnight. */
const endRow = (end: number, day: number, axis: Axis) => Math.round(rowOf(end - 1, day, axis) * 1000 + 1 / 60) / 1000;

/** The blocks of each day. Those that overlap are beside each other. */
export function blocksOf(entries: readonly Entry[], days: readonly number[], axis: Axis): Block[][] {
  const [first, last] = [days[0]!, days.at(-1)!];
  const columns = days.map((): Block[] => []);
  for (const entry of entries) {
    if (isBar(entry) || entry.last < first || entry.first > last) continue;
    for (let day = Math.max(first, entry.first); day <= Math.min(last, entry.last); day++) {
      const [opens, closes] = [day === entry.first, day === entry.last];
      const from = opens ? rowOf(entry.start, day, axis) : 0;
      const end = !closes ? axis.minutes : entry.end > entry.start ? endRow(entry.end, day, axis) : from;
      const to = Math.min(axis.minutes, Math.max(end, from + BLOCK_MINUTES_MIN));
      columns[day - first]!.push({ entry, from, to, column: 0, columns: 1, opens, closes });
    }
  }
  return columns.map(besideEachOther);
}

function besideEachOther(blocks: Block[]): Block[] {
  blocks.sort((a, b) => a.from - b.from || b.to - a.to);
  let group: Block[] = [];
  let until = -Infinity;
  let ends: number[] = [];
  const close = () => {
    for (const block of group) block.columns = ends.length;
    [group, ends] = [[], []];
  };
  for (const block of blocks) {
    if (block.from >= until) close();
    let column = ends.findIndex((end) => end <= block.from);
    if (column < 0) column = ends.length;
    ends[column] = block.to;
    block.column = column;
    until = Math.max(group.length === 0 ? -Infinity : until, block.to);
    group.push(block);
  }
  close();
  return blocks;
}

/** A day of the agenda. */
export interface AgendaDay {
  day: number;
  entries: Entry[];
}

/** The days that have entries. An entry of several days is in each. */
export function agendaOf(entries: readonly Entry[], { from, to }: Window): AgendaDay[] {
  const days = new Map<number, Entry[]>();
  for (const entry of entries)
    for (let day = Math.max(from, entry.first); day <= Math.min(to - 1, entry.last); day++) {
      const before = days.get(day);
      if (before) before.push(entry);
      else days.set(day, [entry]);
    }
  return [...days].sort(([a], [b]) => a - b).map(([day, all]) => ({ day, entries: all }));
}

/** How many entries each day has. */
export function countsOf(entries: readonly Entry[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { first, last } of entries)
    for (let day = first; day <= last; day++) counts.set(day, (counts.get(day) ?? 0) + 1);
  return counts;
}

/** `4`, or `1 Mar` on the first of a month. */
export const dayLabel = (day: number): string =>
  dayOfMonth(day) === 1 ? formatDay(day, { day: 'numeric', month: 'short' }) : String(dayOfMonth(day));
