/** Detects how to read the values of a pasted column: all share one date order and one decimal mark. */
import { decimalIn, pageMarks, type Marks } from '@shell/numbers';
import { localeOrder, possibleOrders, type DayOrder } from '@shell/dates';
import type { Column } from '../data';

export interface Reading {
  first: DayOrder;
  marks: Marks;
  /** For words such as `today`. */
  now: Date;
  /** How many texts could have been read in another way, where none of them says which. */
  open: number;
}

/** Two days are written with a dash, `to`, or a slash before a year. */
export const daysIn = (text: string): string[] => text.trim().split(/\s+(?:[-–—]|to)\s+|\/(?=\d{4}-)/);

/** The one among those that each text could be; the page's own where that is open, or where they contradict each other. */
function agreed<Way>(texts: readonly (readonly Way[])[], own: Way): { way: Way; open: number } {
  const sure = new Set(texts.filter((ways) => ways.length === 1).map(([way]) => way!));
  const [only] = sure;
  if (only !== undefined && sure.size === 1) return { way: only, open: 0 };
  return { way: own, open: texts.filter((ways) => ways.length > 1).length };
}

/** How texts of a column are read; `locale` is the browser's where left out. */
export function readingOf(
  texts: readonly string[],
  column: Column,
  { locale, now = new Date() }: { locale?: string; now?: Date } = {},
): Reading {
  const [first, marks] = [localeOrder(locale), pageMarks(locale)];
  switch (column.type) {
    case 'date':
    case 'timeline': {
      const { way, open } = agreed(texts.flatMap(daysIn).map(possibleOrders), first);
      return { first: way, marks, now, open };
    }
    case 'number':
    case 'rating':
    case 'progress': {
      const { way, open } = agreed(
        texts.map((text) => decimalIn(text, column.settings, marks)),
        marks.decimal,
      );
      return { first, marks: { ...marks, decimal: way }, now, open };
    }
    default:
      return { first, marks, now, open: 0 };
  }
}

/** Describes how ambiguous values were read. */
export function toldOf(readings: readonly { reading: Reading; column: Column }[]): string[] {
  const said = new Map<string, number>();
  for (const { reading, column } of readings) {
    if (reading.open === 0) continue;
    const isDay = column.type === 'date' || column.type === 'timeline';
    const how = isDay
      ? `date/read ${reading.first} first`
      : `number/read with a decimal ${reading.marks.decimal === ',' ? 'comma' : 'point'}`;
    said.set(how, (said.get(how) ?? 0) + reading.open);
  }
  return [...said].map(([how, count]) => {
    const [what, read] = how.split('/');
    return `${count.toLocaleString()} ${what}${count === 1 ? ' was' : 's were'} ${read}.`;
  });
}
