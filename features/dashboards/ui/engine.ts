/**
 * What the dashboards need of the widget engine, which computes every value in a worker of its own. This file is the only
 * one that knows the engine's client; pages and tests speak to the interface below.
 */
import { engine as client, Superseded } from '@shell/engine/client';
import type { ChartResult, Coverage as WireCoverage, NumbersResult, Query, WidgetAnswer as WireAnswer, WidgetState } from '@shell/engine/types';

export type { Query };
export { Superseded };

/** How a widget stands, as far as the engine can tell. */
export type EngineState = WidgetState['name'];

/** On what a value rests. */
export interface Coverage {
  boardsUsed: number;
  boardsTotal: number;
  itemsUsed: number;
  itemsSkipped: number;
  /** For people, such as `3 items: empty`. */
  skippedWhy: string[];
  /** Subitems that are not counted. */
  subitemsLeft?: number;
  /** Items before the filter. */
  itemsTotal?: number;
  /** Rules that constrain nothing, and why. */
  inertRules: WireCoverage['inertRules'];
  /** How many of the boards each rule reaches. */
  reach?: WireCoverage['reach'];
}

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

/** One widget's answer. */
export interface WidgetAnswer {
  id: string;
  state: EngineState;
  /** Roles without a column, where `state` is `unmapped`. */
  roles: string[];
  /** Of a widget that shows one figure. */
  value: number | null;
  /** The figure as it is shown, and with every digit. */
  text: string;
  full: string;
  /** Of a widget that draws a series. */
  points: Point[];
  /** What has to be said below, in sentences. */
  footnotes: string[];
  coverage: Coverage;
  approximate: boolean;
  /** Machine-readable words, such as `mixed-units`. */
  reasons: string[];
}

/** The engine. */
export interface Engine {
  /** Hands over a board; the buffer is the engine's from then on. */
  setBoard(id: string, rev: string, buffer: ArrayBuffer): Promise<void>;
  query(query: Query): Promise<WidgetAnswer[]>;
}

const real: Engine = {
  setBoard: async (id, rev, buffer) => void (await client.setBoard(id, rev, buffer)),
  query: async (query) => (await client.query(query)).widgets.map(readAnswer),
};

/** The engine; its worker starts when it is first asked. */
export const loadEngine = (): Promise<Engine> => Promise.resolve(real);

const REASONS: Record<string, string> = {
  'empty-value': 'without a value',
  'empty-category': 'in no category',
  'other-type': 'of another type of column',
};

const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

function readAnswer({ id, state, result, coverage, approximate, reasons }: WireAnswer): WidgetAnswer {
  const figure = result && 'text' in result ? result : null;
  const chart = result && 'categories' in result ? result : null;
  const skippedWhy = coverage.skippedWhy.map(({ reason, items, boards }) =>
    reason === 'subitem' ? `${counted(items ?? 0, 'subitem')} not counted` : items === undefined ? `${counted(boards?.length ?? 0, 'board')} without a column for it` : `${counted(items, 'item')} ${REASONS[reason] ?? reason}`,
  );
  return {
    id,
    state: state.name,
    roles: state.name === 'unmapped' ? state.roles : [],
    ...figureOf(figure),
    points: chart ? pointsOf(chart) : [],
    footnotes: chart ? footnotesOf(chart) : [],
    coverage: { ...coverage, skippedWhy, subitemsLeft: coverage.skippedWhy.find(({ reason }) => reason === 'subitem')?.items ?? 0 },
    approximate,
    reasons,
  };
}

const figureOf = (figure: NumbersResult | null) => ({ value: figure?.value ?? null, text: figure?.text ?? '—', full: figure?.full ?? '—' });

function pointsOf({ categories, series }: ChartResult): Point[] {
  const [line] = series;
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

function footnotesOf({ footnotes }: ChartResult): string[] {
  return footnotes.map((note) => {
    if (note.code === 'multi-value') return 'Items with several values count once in each.';
    return `Too many dates for one ${note.asked} each; shown by ${note.used}.`;
  });
}
