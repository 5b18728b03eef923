/** Numbers and spans of time that the page itself formats, with the separators that the engine is given for all others. */
import type { Bucket, Query } from '@shell/engine/types';
import { dayNames, monthName } from '@shell/dates';

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

/**
 * Names of time spans, each given by its first day and the engine's name: days, weeks, and months in the user's language,
 * longer spans as the engine names them.
 */
export function spanNames(bucket: Bucket, of: readonly { key: string; label: string }[]): string[] {
  if (bucket === 'day' || bucket === 'week') return dayNames(of.map(({ key }) => key));
  return of.map(({ key, label }) => (bucket === 'month' ? monthName(key, label) : label));
}
