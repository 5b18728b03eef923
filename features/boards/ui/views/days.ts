/** Days as whole numbers, counted from 1 January 1970: what calendars count with. No time zone has a part in them. */

const DAY_MS = 86_400_000;

/** `2026-03-04` as a day; `null` where it is none. */
export function dayOf(text: unknown): number | null {
  if (typeof text !== 'string' || !/^-?\d{4,6}-\d\d-\d\d/.test(text)) return null;
  const ms = Date.parse(`${text.slice(0, text.indexOf('-', 1) + 6)}T00:00:00Z`);
  return Number.isNaN(ms) ? null : Math.round(ms / DAY_MS);
}

/** A day as cells hold it. */
export const textOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The day on this machine's calendar. */
export const localDay = (now: Date) => Math.round(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY_MS);

/** 0 is Sunday. */
export const weekday = (day: number) => (((day + 4) % 7) + 7) % 7;

/** The first day of the week that holds a day; weeks begin on `start`, 0 is Sunday. */
export const weekOf = (day: number, start: number) => day - ((weekday(day) - start + 7) % 7);

const parts = (day: number) => new Date(day * DAY_MS);

/** The first day of the month that holds a day, or of one `by` months on. */
export function monthOf(day: number, by = 0): number {
  const date = parts(day);
  return Math.round(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1) / DAY_MS);
}

/** The same day of another month; its last day where it has none. */
export function monthsOn(day: number, by: number): number {
  const first = monthOf(day, by);
  const last = monthOf(first, 1) - 1;
  return Math.min(first + (day - monthOf(day)), last);
}

/** Number of the day in its month. */
export const dateOf = (day: number) => parts(day).getUTCDate();

const formats = new Map<string, Intl.DateTimeFormat>();

/** A day in words of the reader's language. */
export function dayText(day: number, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options);
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' })));
  return format.format(parts(day));
}

/** `Wednesday 4 March 2026`. */
export const fullDay = (day: number) => dayText(day, { dateStyle: 'full' });
/** `4 Mar 2026`. */
export const shortDay = (day: number) => dayText(day, { dateStyle: 'medium' });

/** The first and the last day of something; they may be the same. */
export interface Span {
  from: number;
  to: number;
}

/** A stretch in words. */
export const spanText = ({ from, to }: Span) => (from === to ? shortDay(from) : `${shortDay(from)} to ${shortDay(to)}`);

/** The days that a cell stands for: a date's own, a timeline's from its beginning to its end. */
export function spanOf(value: unknown): Span | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { from, to } = value as { from?: unknown; to?: unknown };
    return ordered(dayOf(from), dayOf(to));
  }
  return ordered(dayOf(value), null);
}

/** A span of two days of which one may be missing, in their order. */
export function ordered(from: number | null, to: number | null): Span | null {
  const [one, other] = [from ?? to, to ?? from];
  return one === null || other === null ? null : { from: Math.min(one, other), to: Math.max(one, other) };
}
