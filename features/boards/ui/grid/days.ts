/** Days as people write them: whatever an import reads as one, and what is said of days nearby. */
import { MONTHS } from '@shell/gen/limits';

/** What stands first in `3/4/2026`. */
export type First = 'day' | 'month';

/** What a locale puts first. */
export function firstOf(locale?: string): First {
  const parts = new Intl.DateTimeFormat(locale).formatToParts(0).map(({ type }) => type);
  return parts.indexOf('day') < parts.indexOf('month') ? 'day' : 'month';
}

/** Days from today, in English and in the words of a locale. */
function nearby(word: string, locale?: string): number | undefined {
  if (/\d/.test(word)) return undefined;
  const said = [locale, 'en'].map((one) => new Intl.RelativeTimeFormat(one, { numeric: 'auto' }));
  return [0, 1, -1].find((days) => said.some((one) => one.format(days, 'day').toLowerCase() === word));
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

/** What stands first in a text that is a day either way; both where it can be either. Dots are put after a day alone. */
export function firstIn(text: string): readonly First[] {
  const [, first = '', sign, second = ''] = YEAR_LAST.exec(text.trim()) ?? [];
  if (sign === undefined || sign === '.' || first === second) return [];
  return [...(Number(second) <= 12 ? ['day' as const] : []), ...(Number(first) <= 12 ? ['month' as const] : [])];
}

/** The day of a text, as `2026-03-01`; null where it is none. */
export function readDay(text: string, first: First, now: Date, locale?: string): string | null {
  const word = text.trim().toLowerCase();
  const away = nearby(word, locale);
  if (away !== undefined) {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + away);
    return dayOf(day.getFullYear(), day.getMonth() + 1, day.getDate());
  }
  const iso = YEAR_FIRST.exec(text.trim());
  if (iso) return dayOf(Number(iso[1]), Number(iso[3]), Number(iso[4]));
  const [, one, sign, two, year] = YEAR_LAST.exec(text.trim()) ?? [];
  if (sign !== undefined) {
    const [day, month] = sign === '.' || first === 'day' ? [one, two] : [two, one];
    return dayOf(yearOf(year!), Number(month), Number(day));
  }
  const short = THIS_YEAR.exec(text.trim());
  if (short) return dayOf(now.getFullYear(), Number(short[2]), Number(short[1]));
  const named = NAMED.exec(word);
  if (!named) return null;
  return dayOf(yearOf(named[5]!), monthNamed((named[2] ?? named[3])!), Number(named[1] ?? named[4]));
}

/** The number of a month; 0 where none is called so. */
const monthNamed = (word: string) =>
  1 +
  MONTHS.findIndex((names) =>
    names.some((name: string) => name === word || ((word.length === 3 || word.length === 4) && name.startsWith(word))),
  );

/** Two digits are years from 1970 to 2069. */
const yearOf = (digits: string) => Number(digits) + (digits.length > 2 ? 0 : Number(digits) < 70 ? 2000 : 1900);

function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isThere = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isThere
    ? `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
    : null;
}
