/** What the widget engine is asked and what it answers; the Rust types of `crates/widgets` are the definition. */

export type Bucket = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'decade' | 'century';
export type Aggregate = 'sum' | 'average' | 'median' | 'min' | 'max' | 'count' | 'countFilled' | 'distinct';

export type ColRef =
  | { by: 'title'; title: string; type: string }
  | { by: 'ids'; ids: Record<string, string[]> }
  | { by: 'builtin'; name: 'board' | 'group' | 'name' | 'created' | 'updated' | 'subitem' };

export interface Rule {
  id: string;
  col: ColRef;
  /** One of those that the column's type takes: docs/filters.md. */
  op: string;
  /** What the operator compares with: docs/filters.md. */
  value?: unknown;
  off?: boolean;
}

export type Filters = {
  v: 1;
  /** Member ids, `me` and `none`; team ids. */
  people: { ids: string[]; teams?: string[] } | null;
  all: (Rule | { any: Rule[] })[];
};

export interface Format {
  abbreviate?: boolean;
  currency?: string;
  currencyPosition?: 'left' | 'right';
  unit?: string;
  percent?: boolean;
  decimals?: number;
}

/** Column ids by role and board id. */
export type Cols = Record<string, Record<string, string[]>>;

interface WidgetBase {
  id: string;
  /** Only these of the dashboard's boards. */
  boards?: string[];
  cols?: Cols;
  /** The widget's own rules, beside the shared ones. */
  rules?: Filters['all'];
  format?: Format;
  /** Counts subitems too, which are left out otherwise. */
  includeSubitems?: boolean;
}

/** Role: value. */
export interface NumbersConfig extends WidgetBase {
  kind: 'numbers';
  function?: Aggregate;
  ratio?: { rules: Filters['all'] };
}

export interface AxisConfig {
  by?: 'column' | 'board' | 'group' | 'name' | 'created' | 'updated';
  bucket?: Bucket;
}

/** Roles: x, y, z. */
export interface ChartConfig extends WidgetBase {
  kind: 'chart';
  variant?: 'column' | 'bar';
  x?: AxisConfig;
  y?: { function: Aggregate };
  z?: AxisConfig;
  sort?: 'label' | 'xAsc' | 'xDesc' | 'yAsc' | 'yDesc';
  hideEmpty?: boolean;
  multi?: 'each' | 'split';
}

export type WidgetConfig = NumbersConfig | ChartConfig;

export interface Query {
  /** In the order that decides colours and the order of labels. */
  boards: string[];
  /** Boards that could not be fetched. */
  failed?: string[];
  filters?: Filters;
  /** Configurations; one that the engine does not understand gets the state `error`. */
  widgets: ({ id: string; kind: string } | WidgetConfig)[];
  /** Milliseconds since the epoch. */
  now: number;
  utcOffsetMinutes?: number;
  /** 0 Monday to 6 Sunday. */
  weekStart?: number;
  locale?: { decimal: string; group: string };
  /** The member that `me` stands for. */
  me?: string;
  teams?: Record<string, string[]>;
}

export interface InertRule {
  id: string;
  reason:
    | 'unknown-operator'
    | 'wrong-value'
    | 'no-value'
    | 'deleted-label'
    | 'unknown-member'
    | 'unknown-team'
    | 'unknown-column';
}

export interface Coverage {
  boardsUsed: number;
  boardsTotal: number;
  itemsUsed: number;
  itemsSkipped: number;
  itemsTotal: number;
  skippedWhy: {
    reason: 'empty-value' | 'empty-category' | 'other-type' | 'subitem' | 'unmapped' | 'failed';
    items?: number;
    boards?: string[];
  }[];
  inertRules: InertRule[];
  /** Each rule and how many of the widget's boards have its column; the people control is `people`. */
  reach: { rule: string; boards: number; of: number }[];
}

export type WidgetState =
  | { name: 'ok' }
  | { name: 'loading'; boards: string[] }
  | { name: 'error'; boards: string[]; message?: string }
  | { name: 'no-boards' }
  | { name: 'unmapped'; roles: string[] }
  | { name: 'no-items' }
  | { name: 'all-filtered'; total: number }
  | { name: 'no-values' };

export interface NumbersResult {
  value: number | null;
  /** Short, as `$1.2K`. */
  text: string;
  /** Every digit, for tooltips and screen readers. */
  full: string;
  caption?: 'no values';
  format: Format;
}

export interface ChartCategory {
  /** What a rule for this category would name: folded text, member id, board id or a span's first day. */
  key: string;
  label: string;
  kind: 'value' | 'empty' | 'other';
  color?: string;
}

export interface ChartSeries {
  key: string;
  label: string;
  kind?: 'value' | 'empty' | 'other';
  color?: string;
  /** One for each category; null is a gap. */
  values: (number | null)[];
  items: number[];
  texts: string[];
  fulls: string[];
}

export type ChartFootnote =
  | { code: 'multi-value'; items: number; counted: number }
  | { code: 'coarser-bucket'; asked: Bucket; used: Bucket };

export interface ChartResult {
  variant: 'column' | 'bar';
  function: Aggregate;
  /** The span of a date axis. */
  bucket?: Bucket;
  categories: ChartCategory[];
  /** One without a stack. */
  series: ChartSeries[];
  /** The function over all items shown. */
  total?: number;
  format: Format;
  footnotes: ChartFootnote[];
}

interface AnswerBase {
  id: string;
  state: WidgetState;
  coverage: Coverage;
  approximate: boolean;
  /** `mixed-units`, `too-large`. */
  reasons: string[];
}

/** `result` is there in the states ok, no-items, all-filtered and no-values. */
export type WidgetAnswer =
  | (AnswerBase & { kind: 'numbers'; result?: NumbersResult })
  | (AnswerBase & { kind: 'chart'; result?: ChartResult });

export interface Answer {
  widgets: WidgetAnswer[];
  inertRules: InertRule[];
}

export interface BoardInfo {
  id: string;
  name: string;
  items: number;
  columns: number;
}

export interface Mapping {
  cols: Cols;
  roles: { name: string; types: string[]; required: boolean }[];
}

/** A step of a sorting; empty cells stand last in either direction. */
export interface SortStep {
  /** A column's id, `name`, `created` or `updated`. */
  columnId: string;
  descending?: boolean;
}

/** Which items of a board a view shows, in which order. */
export interface ViewQuery extends Omit<Query, 'boards' | 'widgets'> {
  boards: [board: string];
  sort?: SortStep[];
  /** Items with this anywhere. */
  search?: string;
  /** Whether totals are wanted. */
  totals?: boolean;
  /** Whether subitems that pass are rows too. */
  includeSubitems?: boolean;
}

/** What a column's cells come to; numbers have the middle four, dates their first and last day, labels how many hold each. */
export interface ColumnTotal {
  filled: number;
  sum?: number;
  average?: number;
  min?: number;
  max?: number;
  days?: [first: string, last: string];
  labels?: Record<string, number>;
}

export interface GroupTotal {
  items: number;
  columns: Record<string, ColumnTotal>;
}

export interface ViewAnswer {
  /** How many items the board has, shown or not. */
  items: number;
  inertRules: InertRule[];
  totals?: { all: GroupTotal; groups: Record<string, GroupTotal> };
}

/** A view's answer with its rows in order. */
export interface ViewRows extends ViewAnswer {
  rows: Uint32Array;
}

/** What has changed of a board since it was given to the engine: `Engine::patch` is the definition. */
export interface BoardPatch {
  head: { board: { id: string; name: string }; groups: unknown[]; columns: unknown[]; members: unknown[]; linked?: readonly unknown[] };
  items: { row: number; groupId: string; name: string; createdAt: number; updatedAt: number; parentId?: string | null; cells: Record<string, unknown> }[];
  gone: number[];
  /** Rows that stand elsewhere than their number says: behind another one, or first where that is null, in their order. */
  moved?: [behind: number | null, rows: readonly number[]][];
}

export interface EngineFailure {
  error: { message: string };
}

/** From the page to the worker. */
export type ToWorker =
  | { t: 'board'; id: string; rev: string; buffer: ArrayBuffer }
  | { t: 'drop'; id: string }
  | { t: 'query'; seq: number; query: Query }
  | { t: 'patch'; patch: BoardPatch }
  | { t: 'view'; seq: number; query: ViewQuery }
  | { t: 'map'; seq: number; boards: string[]; widget: { id: string; kind: string; cols?: Cols } };

/** From the worker to the page. `ms` is the time that the engine took. */
export type FromWorker =
  | { t: 'board'; id: string; rev: string; info: BoardInfo; ms: number }
  | { t: 'board-failed'; id: string; rev: string; message: string }
  | { t: 'answer'; seq: number; answer: Answer; ms: number }
  | { t: 'mapped'; seq: number; mapping: Mapping }
  | { t: 'viewed'; seq: number; view: ViewRows; ms: number }
  | { t: 'failed'; seq: number; message: string }
  | { t: 'broken'; message: string };
