/** Numbers and days that the page itself writes, with the marks that the engine is given for all others. Making a format is slow: each is made once. */
import type { Bucket, Query } from '@shell/engine/types';

/** The marks that the viewer's language puts into numbers. */
export function marks(language?: string): NonNullable<Query['locale']> {
  const parts = new Intl.NumberFormat(language).formatToParts(1_234_567.5);
  const mark = (type: Intl.NumberFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return { decimal: mark('decimal') || '.', group: mark('group') };
}

/** Writes a number in short, its letters as the engine's, its marks as the language's. */
export function shortIn(language: string | undefined, digits: Intl.NumberFormatOptions): (value: number) => string {
  const { decimal, group } = marks(language);
  const format = new Intl.NumberFormat('en', { notation: 'compact', ...digits });
  const isBeyond = (size: number) => size >= 1e18 || (size > 0 && size < 1e-6);
  return (value) => {
    if (isBeyond(Math.abs(value)))
      return Number(value.toPrecision(2)).toExponential().replace('+', '').replace('.', decimal);
    const parts = format.formatToParts(value);
    return parts
      .map(({ type, value: text }) => (type === 'decimal' ? decimal : type === 'group' ? group : text))
      .join('');
  };
}

/** Numbers along an axis, with every digit that the steps have but not those of binary fractions. */
export const tick = shortIn(undefined, { maximumSignificantDigits: 12 });

/** A sum in short. */
export const short = shortIn(undefined, { maximumFractionDigits: 1 });

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dated = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The days written before, by their format: a chart of a year writes each again whenever a filter changes. */
const known = new Map([day, dated, month].map((format) => [format, new Map<string, string>()]));
const KNOWN_MAX = 4_000;

/** A day in some format; what is none here, such as one of a year of five digits, is left as it is written. */
function dayIn(format: Intl.DateTimeFormat, of: string, written = of): string {
  const names = known.get(format)!;
  const before = names.get(of);
  if (before !== undefined) return before;
  const ms = Date.parse(`${of}T00:00:00Z`);
  const name = Number.isNaN(ms) ? written : format.format(ms);
  if (names.size >= KNOWN_MAX) names.clear();
  names.set(of, name);
  return name;
}

/** `2026-03-04` without its year. */
export const dayName = (of: string): string => dayIn(day, of);

/** Days along an axis: without their year, unless they are of several. */
export function dayNames(of: readonly string[]): string[] {
  const isOneYear = new Set(of.map((one) => one.slice(0, one.indexOf('-', 1)))).size < 2;
  return of.map((one) => dayIn(isOneYear ? day : dated, one));
}

/** Spans of time, each by its first day and as the engine calls it: days, weeks and months as people write them; what is longer has only digits. */
export function spanNames(bucket: Bucket, of: readonly { key: string; label: string }[]): string[] {
  if (bucket === 'day' || bucket === 'week') return dayNames(of.map(({ key }) => key));
  return of.map(({ key, label }) => (bucket === 'month' ? dayIn(month, key, label) : label));
}
