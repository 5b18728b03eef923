/**
 * What the dashboards need of the widget engine, which computes every value in a worker of its own. This file is the only
 * one that knows the engine's client; pages and tests speak to the interface below.
 */
import type { Filters, JsonObject } from './model';

/** How a widget stands, as far as the engine can tell. */
export type EngineState = 'ok' | 'no-boards' | 'unmapped' | 'no-items' | 'all-filtered' | 'no-values' | 'error';

/** On what a value rests. */
export interface Coverage {
  boardsUsed: number;
  boardsTotal: number;
  itemsUsed: number;
  itemsSkipped: number;
  /** For people, such as `3 items: empty`. */
  skippedWhy: string[];
  /** Rules of the filter that could not be understood. */
  inertRules: string[];
}

/** One bar, slice or point. */
export interface Point {
  key: string;
  label: string;
  /** `#rrggbb` of the label, where it has one. */
  color: string | null;
  /** Null is a gap. */
  value: number | null;
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
  /** Of a widget that draws a series. */
  points: Point[];
  coverage: Coverage;
  approximate: boolean;
  /** Machine-readable words, such as `mixed-units`. */
  reasons: string[];
}

/** What is asked: all widgets of one dashboard at once. */
export interface Query {
  boards: string[];
  filters: Filters;
  widgets: { id: string; kind: string; settings: JsonObject }[];
  /** Milliseconds since 1970 in UTC. */
  now: number;
  utcOffsetMinutes: number;
  weekStart: 'monday' | 'sunday';
  /** Marks within numbers. */
  locale: { decimal: string; group: string };
}

/** The engine. */
export interface Engine {
  /** Hands over a board; the buffer is the engine's from then on. */
  setBoard(id: string, rev: string, buffer: ArrayBuffer): Promise<void>;
  query(query: Query): Promise<WidgetAnswer[]>;
}

/** An answer as it arrives: members of other kinds and states may be missing. */
type Raw = Partial<Omit<WidgetAnswer, 'coverage'>> & { coverage?: Partial<Omit<Coverage, 'skippedWhy'>> & { skippedWhy?: { reason: string; count: number }[] } };

interface Client {
  engine: {
    setBoard(id: string, rev: string, buffer: ArrayBuffer): Promise<void> | void;
    query(query: Query): Promise<{ widgets: Raw[] }>;
  };
}
const clients = import.meta.glob<Client>('../../../ui/src/engine/client.ts');

let loaded: Promise<Engine> | null = null;

/** The engine, started when it is first needed. */
export function loadEngine(): Promise<Engine> {
  loaded ??= start().catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

async function start(): Promise<Engine> {
  const load = Object.values(clients)[0];
  if (!load) throw new Error('The widget engine is not part of this build.');
  const { engine } = await load();
  return {
    setBoard: async (id, rev, buffer) => engine.setBoard(id, rev, buffer),
    query: async (query) => (await engine.query(query)).widgets.map(readAnswer),
  };
}

function readAnswer(answer: Raw): WidgetAnswer {
  const { skippedWhy = [], ...coverage } = answer.coverage ?? {};
  return {
    id: answer.id ?? '',
    state: answer.state ?? 'error',
    roles: answer.roles ?? [],
    value: answer.value ?? null,
    points: answer.points ?? [],
    coverage: {
      boardsUsed: 0,
      boardsTotal: 0,
      itemsUsed: 0,
      itemsSkipped: 0,
      inertRules: [],
      ...coverage,
      skippedWhy: skippedWhy.map(({ reason, count }) => `${count.toLocaleString()} ${count === 1 ? 'item' : 'items'}: ${reason}`),
    },
    approximate: answer.approximate ?? false,
    reasons: answer.reasons ?? [],
  };
}
