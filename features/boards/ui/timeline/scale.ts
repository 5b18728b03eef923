/** Time axis: width of days, visible range, and header. */
import { dayOfMonth, formatDay, startOfMonth, startOfWeek, weekday, type DaySpan } from '@shell/dates';

export type Zoom = 'day' | 'week' | 'month';

/** Width of a day in pixels. */
export const DAY_PX: Readonly<Record<Zoom, number>> = { day: 40, week: 16, month: 5 };

/** Months shown before the first and after the last item, so that there is room to move. */
const ROOM_MONTHS = 2;
/** Maximum distance of dates from today. Without it, one wrong year would make the axis unusable. */
const REACH_DAYS = 20 * 366;

/** The days of the line: from the first of a month to the last of one, around every item and today. */
export function rangeOf(spans: Iterable<DaySpan>, today: number): DaySpan {
  let from = today;
  let to = today;
  for (const span of spans) {
    from = Math.min(from, span.from);
    to = Math.max(to, span.to);
  }
  return {
    from: startOfMonth(Math.max(from, today - REACH_DAYS), -ROOM_MONTHS),
    to: startOfMonth(Math.min(to, today + REACH_DAYS), ROOM_MONTHS + 1) - 1,
  };
}

/** A name above a stretch of days. */
export interface Tick {
  from: number;
  days: number;
  text: string;
}

/** The two lines of names above the days `from` to `to`. */
export function ticksOf(zoom: Zoom, { from, to }: DaySpan, weekStart: number): { upper: Tick[]; lower: Tick[] } {
  const months = stretches(startOfMonth(from), to, (day) => startOfMonth(day, 1));
  if (zoom === 'month') {
    const years = stretches(yearOf(from), to, (day) => startOfMonth(day, 12));
    return {
      upper: years.map((tick) => ({ ...tick, text: formatDay(tick.from, { year: 'numeric' }) })),
      lower: months.map((tick) => ({ ...tick, text: formatDay(tick.from, { month: 'short' }) })),
    };
  }
  const upper = months.map((tick) => ({ ...tick, text: formatDay(tick.from, { month: 'long', year: 'numeric' }) }));
  if (zoom === 'week') {
    const weeks = stretches(startOfWeek(from, weekStart), to, (day) => day + 7);
    return { upper, lower: weeks.map((tick) => ({ ...tick, text: String(dayOfMonth(tick.from)) })) };
  }
  const days = stretches(from, to, (day) => day + 1);
  return {
    upper,
    lower: days.map((tick) => ({
      ...tick,
      text: `${formatDay(tick.from, { weekday: 'narrow' })} ${dayOfMonth(tick.from)}`,
    })),
  };
}

function yearOf(day: number): number {
  const month = Number(
    formatDay(day, { month: 'numeric', numberingSystem: 'latn', calendar: 'gregory' }).replace(/\D/g, ''),
  );
  return startOfMonth(day, 1 - month);
}

function stretches(first: number, to: number, next: (day: number) => number): Omit<Tick, 'text'>[] {
  const all: Omit<Tick, 'text'>[] = [];
  for (let day = first; day <= to;) {
    const after = next(day);
    all.push({ from: day, days: after - day });
    day = after;
  }
  return all;
}

/** Days between the start of the line and the first Saturday on it, for the shading of weekends. */
export const untilSaturday = (from: number) => (6 - weekday(from) + 7) % 7;

/** The dragged part of a bar. */
export type Grip = 'move' | 'start' | 'end';

/** A stretch after it was held by a day and carried to another. Its beginning stays before its end. */
export function dragged(span: DaySpan, grip: Grip, held: number, over: number): DaySpan {
  const by = over - held;
  if (grip === 'start') return { from: Math.min(span.from + by, span.to), to: span.to };
  if (grip === 'end') return { from: span.from, to: Math.max(span.to + by, span.from) };
  return { from: span.from + by, to: span.to + by };
}

/** Applies a key to a lifted bar; undefined if the key has no effect. */
export function draggedByKey(
  span: DaySpan,
  event: { key: string; shiftKey: boolean; ctrlKey: boolean },
  canStretch: boolean,
): DaySpan | undefined {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7 };
  const by = steps[event.key];
  if (by === undefined) return undefined;
  const grip = !canStretch ? 'move' : event.shiftKey ? 'end' : event.ctrlKey ? 'start' : 'move';
  return dragged(span, grip, 0, by);
}
