import type { ChartResult } from '@shell/engine/types';

/** One bar, slice or point. */
export interface Point {
  key: string;
  label: string;
  /** `#rrggbb` of the label, in the first connected board that gives it one. */
  color: string | null;
  /** Null is a gap. */
  value: number | null;
  /** The value as it is shown, and with every digit. */
  text: string;
  full: string;
  /** Items that stand behind it. */
  items: number;
}

/** The points of a chart, or of one of its stacked parts. */
export function pointsOf({ categories, series }: ChartResult, at = 0): Point[] {
  const line = series[at];
  if (!line) return [];
  return categories.map((category, i) => ({
    // The empty category and the rest have no key of their own.
    key: `${category.kind} ${category.key}`,
    label: category.label,
    color: category.color ?? null,
    value: line.values[i] ?? null,
    text: line.texts[i] ?? '—',
    full: line.fulls[i] ?? '—',
    items: line.items[i] ?? 0,
  }));
}

/** What has to be said below a chart, in sentences. */
export const footnotesOf = ({ footnotes }: ChartResult): string[] =>
  footnotes.map((note) =>
    note.code === 'multi-value' ? 'Items with several values count once in each.' : `Too many dates for one ${note.asked} each; shown by ${note.used}.`,
  );
