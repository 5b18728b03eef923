/** The days that a calendar shows at once. */
import { addMonths, formatDay, shortDay, startOfMonth, startOfWeek } from '@shell/dates';

export type CalendarSpan = 'month' | 'week';

export const WEEK = 7;

/** First days of the weeks shown around a day. */
export function weeksAround(day: number, span: CalendarSpan, weekStart: number): number[] {
  if (span === 'week') return [startOfWeek(day, weekStart)];
  const first = startOfWeek(startOfMonth(day), weekStart);
  const end = startOfMonth(day, 1);
  const weeks: number[] = [];
  for (let week = first; week < end; week += WEEK) weeks.push(week);
  return weeks;
}

/** The same place one page on or back. */
export const pageOn = (day: number, span: CalendarSpan, by: 1 | -1) =>
  span === 'week' ? day + by * WEEK : addMonths(day, by);

/** Heading: `March 2026`, or the first and last day of a week. */
export function heading(day: number, span: CalendarSpan, weekStart: number): string {
  if (span === 'month') return formatDay(startOfMonth(day), { month: 'long', year: 'numeric' });
  const first = startOfWeek(day, weekStart);
  return `${shortDay(first)} – ${shortDay(first + WEEK - 1)}`;
}

/** Where a key leads from a day; undefined where it leads nowhere. */
export function dayByKey(key: string, day: number, weekStart: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return day - 1;
    case 'ArrowRight':
      return day + 1;
    case 'ArrowUp':
      return day - WEEK;
    case 'ArrowDown':
      return day + WEEK;
    case 'Home':
      return startOfWeek(day, weekStart);
    case 'End':
      return startOfWeek(day, weekStart) + WEEK - 1;
    case 'PageUp':
      return addMonths(day, -1);
    case 'PageDown':
      return addMonths(day, 1);
    default:
      return undefined;
  }
}
