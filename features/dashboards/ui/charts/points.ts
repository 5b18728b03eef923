import type { ChartCategory, ChartResult, Written } from '@shell/engine/types';
import { colorAt } from './color';

/** A part of what a widget shows, in the words of its kind: what the engine is asked for the items behind it. */
export type Picked = Record<string, unknown>;

/** How a mark is filled beside its color, so that it can be told from others without it. */
export type Look = 'plain' | 'hatch' | 'dots' | 'lines' | 'hollow';
const LOOKS: readonly Look[] = ['plain', 'hatch', 'dots', 'lines'];

/** How the n-th of several series looks. */
export const lookAt = (at: number): Look => LOOKS[at % LOOKS.length] ?? 'plain';

/** A value as it is drawn and written. */
export interface Mark {
  key: string;
  label: string;
  /** `#rrggbb` of the label, in the first connected board that gives it one. */
  color: string | null;
  look?: Look;
  /** Null is a gap. */
  value: number | null;
  /** The value as it is shown, and with every digit. */
  text: string;
  full: string;
  /** Items that stand behind it. */
  items?: number;
  pick?: Picked;
  /** It has no place along an axis, as the items without a date: no line leads to it. */
  isApart?: boolean;
}

/** One bar, slice or point. */
export interface Point extends Mark {
  /** What it is stacked of. */
  parts?: Mark[];
  /** A wider outline behind it, such as the scope of a sprint. */
  behind?: Mark;
}

type Told = Pick<ChartCategory, 'key'> & { kind?: ChartCategory['kind'] };
const keyOf = ({ kind, key }: Told) => `${kind} ${key}`;
const pickOf = ({ kind, key }: Told) => ({ kind, key });

/** The category of a chart that a part of it is of. */
export function categoryOf(result: ChartResult, part: Picked | undefined): ChartCategory | undefined {
  if (!part?.x) return undefined;
  const key = keyOf(part.x as Told);
  return result.categories.find((category) => keyOf(category) === key);
}

/** What a chart is stacked by, or its only series. */
export interface Series {
  key: string;
  label: string;
  color: string | null;
  look: Look;
  /** It is a line, dashed so; an empty text is a whole one. */
  dash?: string;
}

/** The series of a stacked chart, in their colors. */
export const seriesOf = ({ series }: ChartResult): Series[] =>
  series.map((one, at) => ({ key: keyOf(one), label: one.label, color: one.color ?? colorAt(at), look: lookAt(at) }));

/** The marks of one series of a chart. */
export function marksOf(result: ChartResult, at = 0): Mark[] {
  const line = result.series[at];
  if (!line) return [];
  const isStacked = line.kind !== undefined;
  return result.categories.map((category, i) => ({
    // The empty category and the rest have no key of their own.
    key: keyOf(category),
    label: category.label,
    color: category.color ?? null,
    value: line.values[i] ?? null,
    text: line.texts[i] ?? '—',
    full: line.fulls[i] ?? '—',
    items: line.items[i] ?? 0,
    pick: { x: pickOf(category), ...(isStacked ? { z: pickOf(line) } : {}) },
    isApart: category.kind !== 'value',
  }));
}

/** Whether a chart is stacked. */
export const isStacked = ({ series }: ChartResult) => series.some(({ kind }) => kind !== undefined);

/** The bars of a chart, each with its parts where it is stacked. */
export function pointsOf(result: ChartResult): Point[] {
  if (!isStacked(result)) return marksOf(result);
  const series = seriesOf(result);
  const lines = series.map((_, at) => marksOf(result, at));
  return result.categories.map((category: ChartCategory, i) => {
    const parts = lines.flatMap((line, at) => {
      const mark = line[i];
      const of = series[at];
      return mark && of ? [{ ...mark, key: of.key, label: of.label, color: of.color, look: of.look }] : [];
    });
    return {
      key: keyOf(category),
      label: category.label,
      color: null,
      ...added(parts),
      pick: { x: pickOf(category) },
      parts,
    };
  });
}

/** What parts come to together, which is written only where each of them is whole. */
export function added(parts: readonly Mark[]): Pick<Mark, 'value' | 'text' | 'full'> {
  const known = parts.flatMap(({ value }) => (value === null ? [] : [value]));
  const value = known.length ? known.reduce((sum, one) => sum + one, 0) : null;
  return {
    value,
    text: '',
    full: parts
      .filter((part) => part.value)
      .map((part) => `${part.label} ${part.full}`)
      .join(', '),
  };
}

/** A written value as a mark. */
export const markOf = (key: string, label: string, { value, text, full }: Written, more: Partial<Mark> = {}): Mark => ({
  key,
  label,
  color: null,
  value,
  text,
  full,
  ...more,
});

/** What has to be said below a chart, in sentences. */
export const footnotesOf = ({ footnotes }: ChartResult): string[] =>
  footnotes.map((note) =>
    note.code === 'multi-value'
      ? 'Items with several values count once in each.'
      : `Too many dates for one ${note.asked} each; shown by ${note.used}.`,
  );
