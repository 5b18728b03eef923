/** Numbers as people write them, for what is typed and what is pasted alike: whatever a cell shows can be typed into it again. */

/** What stands beside a number: its unit, and its currency in three letters. */
export interface Beside {
  unit?: string | null | undefined;
  currency?: string | null | undefined;
}

/** How a locale writes numbers. */
export interface Marks {
  decimal: string;
  /** Its digits from 0 to 9. */
  digits: readonly string[];
}

export function marksOf(locale?: string): Marks {
  const part = new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal');
  const digit = new Intl.NumberFormat(locale, { useGrouping: false });
  return { decimal: part?.value ?? '.', digits: Array.from({ length: 10 }, (_, at) => digit.format(at)) };
}

/** How this page writes them. */
const PAGE = marksOf();

/** The same, or how another locale does. */
export const pageMarks = (locale?: string): Marks => (locale === undefined ? PAGE : marksOf(locale));

/** A number as it is typed: in full, with the page's decimal mark and nothing else. */
export const writeNumber = (value: number, marks = PAGE): string => String(value).replace('.', marks.decimal);

/** Which numbers are taken where not all are. */
export interface NumberRule {
  minValue?: number | undefined;
  maxValue?: number | undefined;
  /** Each is a multiple of it. */
  step?: number | undefined;
}

/** What is wanted where this is none of the numbers that are taken, else null. */
export function numberFault(
  number: unknown,
  { minValue = -Infinity, maxValue = Infinity, step }: NumberRule,
): string | null {
  if (
    typeof number === 'number' &&
    Number.isFinite(number) &&
    number >= minValue &&
    number <= maxValue &&
    (!step || isWhole(number / step))
  )
    return null;
  const [least, most] = [minValue, maxValue].map((one) => (Number.isFinite(one) ? one.toLocaleString() : null));
  const range =
    least && most ? ` from ${least} to ${most}` : least ? ` of ${least} or more` : most ? ` of ${most} or less` : '';
  return `Enter a ${Number.isInteger(step) ? 'whole ' : ''}number${range}${step && step !== 1 ? `, in steps of ${step}` : ''}.`;
}

/** Whether it is whole but for the dust of binary fractions: 0.3 is three times 0.1. */
export const isWhole = (number: number) => Math.abs(number - Math.round(number)) < 1e-9;

/** What is written beside a number: its unit, and its currency in letters or symbols. */
function besideOf({ currency, unit }: Beside): string[] {
  const symbol =
    currency &&
    new Intl.NumberFormat(undefined, { style: 'currency', currency })
      .formatToParts(0)
      .find(({ type }) => type === 'currency')?.value;
  return [unit, symbol, currency].flatMap((one) => tidy(one ?? '') || []);
}

/** Without what is not seen, and with one kind of space, minus and apostrophe. */
const tidy = (text: string) =>
  text
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/[−–]/g, '-')
    .replaceAll('’', "'")
    .trim()
    .toLowerCase();

/** Letters that the largest number takes that there is, in full with its marks and its unit: what is longer is none. */
const NUMBER_CHARS_MAX = 512;

/**
 * `1,300.50`, `1.300,50`, `€1 300.50`, `(12)`, `45 %`; null where a text is no number. What is written with one mark and could be
 * either, as `1.234`, is read as the page itself writes: its decimal mark is one, the other makes thousands.
 */
export function readNumber(text: string, beside: Beside = {}, marks = PAGE): number | null {
  const parts = partsOf(text, beside, marks);
  if (!parts) return null;
  const { isNegative, mantissa, exponent, point } = parts;
  const digits = ungrouped(mantissa, point);
  const number = digits === null ? NaN : Number(`${isNegative ? '-' : ''}${digits}e${exponent}`);
  // No cell shows a negative zero.
  return Number.isFinite(number) ? number + 0 : null;
}

/** The decimal marks that a text can have been written with: one where it shows which, none where it tells nothing. */
export function decimalIn(text: string, beside: Beside = {}, marks = PAGE): readonly string[] {
  // What has a mark of its own is never open.
  if (marks.decimal !== '.' && marks.decimal !== ',') return [];
  const mantissa = partsOf(text, beside, marks)?.mantissa ?? '';
  const found = [...mantissa].filter((letter) => letter === '.' || letter === ',');
  const last = found.at(-1);
  if (last === undefined || ungrouped(mantissa, '.') === null) return [];
  if (EITHER.test(mantissa)) return ['.', ','];
  // More than one of the same make thousands.
  return [found.length > 1 && found[0] === last ? (last === '.' ? ',' : '.') : last];
}

/** A text without its sign and without what stands beside it; null where it is too long for a number. */
function partsOf(text: string, beside: Beside, marks: Marks) {
  const point = marks.decimal === '.' || marks.decimal === ',' ? marks.decimal : '.';
  const tidied = [...tidy(text)];
  if (tidied.length > NUMBER_CHARS_MAX) return null;
  const letters = tidied.map((letter) =>
    letter === marks.decimal
      ? point
      : letter === '٬'
        ? point === '.'
          ? ','
          : '.'
        : marks.digits.includes(letter)
          ? String(marks.digits.indexOf(letter))
          : letter,
  );
  let rest = letters.join('');
  let isNegative = false;
  const inner = /^\((.*)\)$/.exec(rest)?.[1];
  if (inner !== undefined) [isNegative, rest] = [true, inner.trim()];
  const others = besideOf(beside);
  // A sign may stand before or after the currency.
  for (let before = ''; before !== rest;) {
    before = rest;
    if (/^-|-$/.test(rest)) {
      if (isNegative) break;
      [isNegative, rest] = [true, rest.replace(/^-|-$/, '')];
    }
    for (const one of others)
      rest = rest.startsWith(one) ? rest.slice(one.length) : rest.endsWith(one) ? rest.slice(0, -one.length) : rest;
    rest = rest.replace(/^\+|^\p{Sc}|\p{Sc}$|%$/u, '').trim();
  }
  const [, mantissa = '', exponent = '0'] = /^(.*?)(?:e([+-]?\d+))?$/.exec(rest)!;
  return { isNegative, mantissa, exponent, point };
}

/** One mark before three digits, which can be either. */
const EITHER = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** Thousands, and what is written in lakhs and crores, which only commas part. */
const GROUPED = [/^\d{1,3}([.,' ])(?:\d{3}\1)*\d{3}$/, /^\d{1,2}(?:,\d{2})+,\d{3}$/];

/** Digits with a point at most; null where the marks among them stand as nobody writes them. */
function ungrouped(text: string, point: string): string | null {
  const found = [...text].filter((letter) => letter === '.' || letter === ',');
  const [first] = found;
  const last = found.at(-1);
  const isOne = found.length === 1;
  const isEither = EITHER.test(text);
  const isDecimal = last !== undefined && (isOne ? !isEither || last === point : first !== last);
  const at = isDecimal ? text.lastIndexOf(last) : text.length;
  const [whole, fraction] = [text.slice(0, at), text.slice(at + 1)];
  const isWhole =
    /^\d*$/.test(whole) || (GROUPED.some((grouped) => grouped.test(whole)) && !(isDecimal && whole.includes(last)));
  return isWhole && /^\d*$/.test(fraction) && /\d/.test(text) ? `${whole.replace(/\D/g, '')}.${fraction}` : null;
}
