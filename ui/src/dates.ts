/**
 * Dates and times: parsing, formatting, and calendar arithmetic. Instants are RFC 3339 texts or milliseconds. Days are texts
 * such as `2026-03-04`, or whole numbers counted from 1 January 1970 where the page computes with them; no time zone has a part
 * in them. Creating an `Intl` format is slow, so each is created once.
 */
import { useEffect, useState } from 'react';
import { MONTHS } from './gen/limits';

export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format in the browser's language, created once. */
function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.DateTimeFormat(undefined, options)));
  return format;
}

// Instants

const INSTANTS = {
  /** `4 Mar 2026, 05:06`. */
  medium: { dateStyle: 'medium', timeStyle: 'short' },
  /** `4 March 2026 at 05:06`. */
  long: { dateStyle: 'long', timeStyle: 'short' },
  /** `Wednesday, 4 March 2026 at 05:06:07`. */
  full: { dateStyle: 'full', timeStyle: 'medium' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** An instant in the browser's time zone; a text that isn't one is returned as it is. */
export function formatInstant(at: string | number, length: keyof typeof INSTANTS = 'medium'): string {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return Number.isNaN(ms) ? String(at) : formatOf(INSTANTS[length]).format(ms);
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.35],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
];
/** Shorter differences are `now`. */
const JUST_NOW_MS = 10_000;

/** `5 minutes ago` or `in 2 days`. */
export function relativeTime(at: Date, now: Date, locale?: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const ms = at.getTime() - now.getTime();
  if (Math.abs(ms) < JUST_NOW_MS) return format.format(0, 'second');
  let amount = ms / 1_000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return format.format(Math.round(amount), unit);
    amount /= size;
  }
  return '';
}

/** Time left, in days and never in weeks: time limits are stated in days. */
export function timeUntil(at: Date, now: Date, locale?: string): string {
  const ms = at.getTime() - now.getTime();
  return ms < DAY_MS
    ? relativeTime(at, now, locale)
    : new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(Math.round(ms / DAY_MS), 'day');
}

/** Time since an instant. Never in the future, even if the server's clock is ahead. */
export function timeAgo(at: Date, now: Date, locale?: string): string {
  return now.getTime() - at.getTime() < JUST_NOW_MS ? 'just now' : relativeTime(at, now, locale);
}

/** Time between an instant and now in its largest whole unit: `3 min`. */
export function elapsedTime(
  since: string,
  now_ms: number,
  locale?: string,
  unitDisplay: 'short' | 'narrow' = 'short',
): string {
  const ms = Math.max(0, now_ms - Date.parse(since));
  const [unit, size] =
    ms < MINUTE_MS
      ? (['second', 1_000] as const)
      : ms < HOUR_MS
        ? (['minute', MINUTE_MS] as const)
        : ms < DAY_MS
          ? (['hour', HOUR_MS] as const)
          : (['day', DAY_MS] as const);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay }).format(Math.floor(ms / size));
}

/** The clock and calendar that the widget engine computes with. */
export const engineClock = (now: Date, weekStart: 'sunday' | 'monday' | undefined) => ({
  now: now.getTime(),
  utcOffsetMinutes: -now.getTimezoneOffset(),
  weekStart: weekStart === 'sunday' ? 6 : 0,
});

/** The time now in milliseconds, updated at an interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Today's day number, updated at midnight. */
export function useToday(): number {
  const [today, setToday] = useState(() => localDay(new Date()));
  useEffect(() => {
    const now = new Date();
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
    const timer = setTimeout(() => setToday(localDay(new Date())), midnight.getTime() - now.getTime() + 500);
    return () => clearTimeout(timer);
  }, [today]);
  return today;
}

// Days as texts

/** The day of an instant in UTC: `2026-03-04`. */
export const isoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether a text is a day such as `2026-03-04`. */
export const isIsoDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

const startOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);

const MEDIUM_DATE = { dateStyle: 'medium', timeZone: 'UTC' } as const;

/** `4 Mar 2026`; a text that isn't a day is returned as it is. */
export function formatDate(date: string): string {
  const ms = startOf(date);
  return Number.isNaN(ms) ? date : formatOf(MEDIUM_DATE).format(ms);
}

/** `4 – 9 Mar 2026`. */
export function formatDateRange(from: string, to: string): string {
  const [first, last] = [startOf(from), startOf(to)];
  return Number.isNaN(first) || Number.isNaN(last) ? `${from} – ${to}` : formatOf(MEDIUM_DATE).formatRange(first, last);
}

const DAYS = {
  dayInYear: { day: 'numeric', month: 'short', timeZone: 'UTC' },
  dayOfYear: { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  monthOfYear: { month: 'short', year: 'numeric', timeZone: 'UTC' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Days formatted before, by format: a chart of a year formats the same days whenever a filter changes. */
const formatted = { dayInYear: new Map(), dayOfYear: new Map(), monthOfYear: new Map() } satisfies Record<
  keyof typeof DAYS,
  Map<string, string>
>;
const FORMATTED_MAX = 4_000;

/** A day in a format; `fallback` if it isn't a day that can be formatted, such as one of a year of five digits. */
function dateIn(format: keyof typeof DAYS, date: string, fallback = date): string {
  const names: Map<string, string> = formatted[format];
  const before = names.get(date);
  if (before !== undefined) return before;
  const ms = startOf(date);
  const name = Number.isNaN(ms) ? fallback : formatOf(DAYS[format]).format(ms);
  if (names.size >= FORMATTED_MAX) names.clear();
  names.set(date, name);
  return name;
}

/** `4 Mar`. */
export const dayName = (date: string): string => dateIn('dayInYear', date);

/** Days along an axis: `4 Mar`, or `4 Mar 2026` if they're of several years. */
export function dayNames(dates: readonly string[]): string[] {
  const isOneYear = new Set(dates.map((one) => one.slice(0, one.indexOf('-', 1)))).size < 2;
  return dates.map((one) => dateIn(isOneYear ? 'dayInYear' : 'dayOfYear', one));
}

/** `Mar 2026`; `fallback` if it can't be formatted. */
export const monthName = (firstDay: string, fallback: string): string => dateIn('monthOfYear', firstDay, fallback);

// Days as numbers

/** `2026-03-04` as a day number; null if it isn't a day. */
export function dayNumber(text: unknown): number | null {
  if (typeof text !== 'string' || !/^-?\d{4,6}-\d\d-\d\d/.test(text)) return null;
  const ms = startOf(text.slice(0, text.indexOf('-', 1) + 6));
  return Number.isNaN(ms) ? null : Math.round(ms / DAY_MS);
}

/** A day number as cells hold it: `2026-03-04`. */
export const dayText = (day: number): string => isoDate(day * DAY_MS);

/** The day in the browser's time zone. */
export const localDay = (now: Date): number =>
  Math.round(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY_MS);

/** 0 is Sunday. */
export const weekday = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** The first day of the week that contains a day; weeks start on `weekStart`, 0 is Sunday. */
export const startOfWeek = (day: number, weekStart: number): number => day - ((weekday(day) - weekStart + 7) % 7);

const dateObject = (day: number) => new Date(day * DAY_MS);

/** The first day of the month that contains a day, or of the month `by` months later. */
export function startOfMonth(day: number, by = 0): number {
  const date = dateObject(day);
  return Math.round(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1) / DAY_MS);
}

/** The same day `by` months later; that month's last day if it's shorter. */
export function addMonths(day: number, by: number): number {
  const first = startOfMonth(day, by);
  const last = startOfMonth(first, 1) - 1;
  return Math.min(first + (day - startOfMonth(day)), last);
}

/** Number of the day in its month. */
export const dayOfMonth = (day: number): number => dateObject(day).getUTCDate();

/** A day number in the browser's language. */
export const formatDay = (day: number, options: Intl.DateTimeFormatOptions): string =>
  formatOf({ ...options, timeZone: 'UTC' }).format(dateObject(day));

/** `Wednesday 4 March 2026`. */
export const fullDay = (day: number): string => formatDay(day, { dateStyle: 'full' });
/** `4 Mar 2026`. */
export const shortDay = (day: number): string => formatDay(day, { dateStyle: 'medium' });

/** A first and a last day, which may be the same. */
export interface DaySpan {
  from: number;
  to: number;
}

/** `4 Mar 2026 to 9 Mar 2026`. */
export const formatSpan = ({ from, to }: DaySpan): string =>
  from === to ? shortDay(from) : `${shortDay(from)} to ${shortDay(to)}`;

/** The days of a cell: of a date, that day; of a timeline, from its start to its end. */
export function cellSpan(value: unknown): DaySpan | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { from, to } = value as { from?: unknown; to?: unknown };
    return orderedSpan(dayNumber(from), dayNumber(to));
  }
  return orderedSpan(dayNumber(value), null);
}

/** The span between two days in either order; one of them may be missing. */
export function orderedSpan(from: number | null, to: number | null): DaySpan | null {
  const [one, other] = [from ?? to, to ?? from];
  return one === null || other === null ? null : { from: Math.min(one, other), to: Math.max(one, other) };
}

// Days as people write them: every form that an import reads, and words such as `tomorrow`

/** The part that comes first in `3/4/2026`. */
export type DayOrder = 'day' | 'month';

/** The order of a locale. */
export function localeOrder(locale?: string): DayOrder {
  const parts = new Intl.DateTimeFormat(locale).formatToParts(0).map(({ type }) => type);
  return parts.indexOf('day') < parts.indexOf('month') ? 'day' : 'month';
}

/** Days from today for `today`, `tomorrow`, and `yesterday` in English and in a locale's language. */
function nearby(word: string, locale?: string): number | undefined {
  if (/\d/.test(word)) return undefined;
  const languages = [locale, 'en'].map((one) => new Intl.RelativeTimeFormat(one, { numeric: 'auto' }));
  return [0, 1, -1].find((days) => languages.some((one) => one.format(days, 'day').toLowerCase() === word));
}

const TIME = '(?:[T,\\s]\\s*(?:at\\s+)?\\d{1,2}:.*)?';
const YEAR_FIRST = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${TIME}$`);
const YEAR_LAST = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d{2})${TIME}$`);
const THIS_YEAR = /^(\d{1,2})\.\s?(\d{1,2})\.$/;
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const NAMED = new RegExp(
  `^(?:\\p{L}+[.,]*\\s+)?(?:${DAY}[\\s.,/-]+(\\p{L}+)|(\\p{L}+)[\\s.,/-]+${DAY})[\\s.,/-]+(\\d{4}|\\d{2})${TIME}$`,
  'u',
);

/** The orders in which a text can be read, if it reads as different days: both if either is possible. Dots always put the day first. */
export function possibleOrders(text: string): readonly DayOrder[] {
  const [, first = '', sign, second = ''] = YEAR_LAST.exec(text.trim()) ?? [];
  if (sign === undefined || sign === '.' || first === second) return [];
  return [...(Number(second) <= 12 ? ['day' as const] : []), ...(Number(first) <= 12 ? ['month' as const] : [])];
}

/** The day of a text, as `2026-03-01`; null if it isn't one. */
export function parseDate(text: string, order: DayOrder, now: Date, locale?: string): string | null {
  const word = text.trim().toLowerCase();
  const away = nearby(word, locale);
  if (away !== undefined) {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + away);
    return existingDate(day.getFullYear(), day.getMonth() + 1, day.getDate());
  }
  const iso = YEAR_FIRST.exec(text.trim());
  if (iso) return existingDate(Number(iso[1]), Number(iso[3]), Number(iso[4]));
  const [, one, sign, two, year] = YEAR_LAST.exec(text.trim()) ?? [];
  if (sign !== undefined) {
    const [day, month] = sign === '.' || order === 'day' ? [one, two] : [two, one];
    return existingDate(fullYear(year!), Number(month), Number(day));
  }
  const short = THIS_YEAR.exec(text.trim());
  if (short) return existingDate(now.getFullYear(), Number(short[2]), Number(short[1]));
  const named = NAMED.exec(word);
  if (!named) return null;
  return existingDate(fullYear(named[5]!), monthNumber((named[2] ?? named[3])!), Number(named[1] ?? named[4]));
}

/** The number of a month by its name; 0 if there is no such month. */
const monthNumber = (word: string) =>
  1 +
  MONTHS.findIndex((names) =>
    names.some((name: string) => name === word || ((word.length === 3 || word.length === 4) && name.startsWith(word))),
  );

/** Two digits are years from 1970 to 2069. */
const fullYear = (digits: string) => Number(digits) + (digits.length > 2 ? 0 : Number(digits) < 70 ? 2000 : 1900);

function existingDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists
    ? `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
    : null;
}
