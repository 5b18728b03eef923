/** What the widget engine (`crates/widgets`) takes and answers. Its Rust types are the definition; these say the same. */

/** What is asked: all widgets of one dashboard at once. */
export interface Query {
  /** Ids of loaded boards, in the order that decides colours and the order of labels. */
  boards: string[];
  filters: unknown;
  /** `id`, `kind`, and the members that the kind's schema names. */
  widgets: Record<string, unknown>[];
  /** Milliseconds since 1970 in UTC. */
  now: number;
  /** Minutes that the viewer's time is ahead of UTC. */
  utcOffsetMinutes: number;
  /** 0 Monday to 6 Sunday. */
  weekStart: number;
  /** Marks within numbers. */
  locale: { decimal: string; group: string };
}

/** Why a widget has a result or none. */
export type State =
  | { name: 'ok' | 'no-boards' | 'no-items' | 'no-values' }
  | { name: 'loading'; boards: string[] }
  | { name: 'error'; boards: string[]; message?: string }
  | { name: 'unmapped'; roles: string[] }
  | { name: 'all-filtered'; total: number };

/** On what a result rests. */
export interface Coverage {
  boardsUsed: number;
  boardsTotal: number;
  itemsUsed: number;
  itemsSkipped: number;
  itemsTotal: number;
  skippedWhy: { reason: string; items?: number; boards?: string[] }[];
  inertRules: { id: string; reason: string }[];
  reach: { rule: string; boards: number; of: number }[];
}

/** One widget's answer; `result` has the form of its kind. */
export interface WidgetAnswer {
  id: string;
  kind: string;
  state: State;
  result?: NumbersResult | ChartResult;
  coverage: Coverage;
  approximate: boolean;
  /** Codes, such as `mixed-units`. */
  reasons: string[];
}

/** One figure. */
export interface NumbersResult {
  value: number | null;
  /** Short, `$1.2K`. */
  text: string;
  /** Every digit, `$1,234.00`. */
  full: string;
  caption: string | null;
}

/** Figures by category, one series or several that are stacked. */
export interface ChartResult {
  categories: { key: string; label: string; kind: 'value' | 'empty' | 'other'; color: string | null }[];
  series: { key: string; label: string; values: (number | null)[]; items: number[]; texts: string[]; fulls: string[] }[];
  footnotes: { code: string; items?: number; counted?: number; asked?: string; used?: string }[];
}

/** Answers of all widgets. */
export interface Answer {
  widgets: WidgetAnswer[];
}

/** To the worker. */
export type ToWorker =
  | { t: 'board'; id: string; rev: string; buffer: ArrayBuffer }
  | { t: 'drop'; id: string }
  | { t: 'query'; seq: number; query: Query };

/** From the worker. */
export type FromWorker =
  | { t: 'board'; id: string; rev: string; error?: string }
  | { t: 'answer'; seq: number; answer: Answer; ms: number }
  | { t: 'stale'; seq: number }
  | { t: 'failed'; seq: number; message: string };
