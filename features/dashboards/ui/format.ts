/**
 * Figures for people. The short form is our own: the browser's compact notation shortens nothing below a million in some
 * languages and prints `$0.0` for currencies.
 */

/** A symbol at a figure. */
export interface Unit {
  symbol: string;
  place: 'left' | 'right';
}

/** How a figure is written. */
export interface FigureFormat {
  locale: string | undefined;
  unit: Unit | null;
  /** Adds a percent sign to the number as it is. */
  percent?: boolean;
  /** Writes 1,234 as 1.2K. */
  short?: boolean;
}

const SUFFIXES: [number, string][] = [
  [1e3, 'K'],
  [1e6, 'M'],
  [1e9, 'B'],
  [1e12, 'T'],
];

/** Half away from zero, at a number of decimals, without the error that 1.005 x 100 has. */
function rounded(value: number, decimals: number): number {
  const shifted = Number(`${value}e${decimals}`);
  return Number.isFinite(shifted) ? Number(`${Math.round(shifted)}e-${decimals}`) : value;
}

function digits(value: number, locale: string | undefined, decimals: number): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: decimals, numberingSystem: 'latn' }).format(value);
}

function dressed(sign: string, body: string, { unit, percent }: FigureFormat): string {
  const amount = percent ? `${body}%` : body;
  if (!unit) return sign + amount;
  return unit.place === 'left' ? `${sign}${unit.symbol}${amount}` : `${sign}${amount} ${unit.symbol}`;
}

/** The short form: at most one decimal and a suffix from a thousand up. */
export function shortFigure(value: number, format: FigureFormat): string {
  const size = Math.abs(value);
  const small = rounded(size, 2);
  const sign = value < 0 && small !== 0 ? '-' : '';
  if (small < 1000) return dressed(sign, digits(small, format.locale, 2), format);
  let step = SUFFIXES.findLastIndex(([unit]) => size >= unit);
  if (step < 0) step = 0;
  let amount = rounded(size / (SUFFIXES[step]?.[0] ?? 1), 1);
  if (amount >= 1000 && step < SUFFIXES.length - 1) {
    step += 1;
    amount = rounded(size / (SUFFIXES[step]?.[0] ?? 1), 1);
  }
  return dressed(sign, digits(amount, format.locale, 1) + (SUFFIXES[step]?.[1] ?? ''), format);
}

/** The whole figure, grouped. */
export function fullFigure(value: number, format: FigureFormat): string {
  const sign = value < 0 ? '-' : '';
  return dressed(sign, digits(Math.abs(value), format.locale, 10), format);
}

/** The figure as the widget shows it. */
export const figure = (value: number, format: FigureFormat) => (format.short === false ? fullFigure(rounded(value, 2), format) : shortFigure(value, format));

const currencySymbol = (code: string, locale: string | undefined): Unit => {
  try {
    const parts = new Intl.NumberFormat(locale, { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' }).formatToParts(1);
    const at = parts.findIndex((part) => part.type === 'currency');
    return { symbol: parts[at]?.value ?? code, place: at > parts.findIndex((part) => part.type === 'integer') ? 'right' : 'left' };
  } catch {
    return { symbol: code, place: 'right' };
  }
};

/** The unit that all columns share; null where they have none or differ. */
export function sharedUnit(columns: readonly { settings: { unit?: string; currency?: string } }[], locale: string | undefined): Unit | null {
  const names = new Set(columns.map(({ settings }) => (settings.currency ? `currency ${settings.currency}` : settings.unit ? `unit ${settings.unit}` : '')));
  const first = columns[0]?.settings;
  if (names.size !== 1 || !first) return null;
  if (first.currency) return currencySymbol(first.currency, locale);
  return first.unit ? { symbol: first.unit, place: 'right' } : null;
}
