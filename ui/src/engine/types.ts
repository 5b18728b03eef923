/** What the widget engine is asked and what it answers; the Rust types of `crates/widgets` are the definition. */
import type { Schemas } from '../client';
import type { ToldRest } from './told';

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

/** Column ids by role and board id. A board that is not named has its column found for it; one with none named has none. */
export type Cols = Record<string, Record<string, string[]>>;

export interface Query {
  /** In the order that decides colors and the order of labels. */
  boards: string[];
  /** Boards that could not be fetched. */
  failed?: string[];
  /** The name under which the engine was given the history that sprints are looked up in. */
  history?: string;
  filters?: Filters;
  /** Configurations; one that the engine does not understand gets the state `error`. */
  widgets: { id: string; kind: string }[];
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
    | 'unknown-column'
    | 'lost-label'
    | 'lost-column';
  /** Of `lost-label` the labels that no board has any more, of `lost-column` the names of the boards whose column is gone. */
  lost?: string[];
  /** In which of the widget's own lists it stands, each of which may have ids that another has too; left out of the shared rules. */
  own?: OwnList;
}

/** A list of rules that a widget has of its own: its `rules`, or those of its `ratio` or `per`. */
export type OwnList = 'rules' | 'ratio' | 'per';

export interface Coverage {
  boardsUsed: number;
  boardsTotal: number;
  itemsUsed: number;
  itemsSkipped: number;
  itemsTotal: number;
  skippedWhy: {
    reason:
      | 'empty-value'
      | 'empty-category'
      | 'other-type'
      | 'no-sprint'
      | 'other-sprint'
      | 'cancelled'
      | 'subitem'
      | 'unmapped'
      | 'failed';
    items?: number;
    boards?: string[];
  }[];
  inertRules: InertRule[];
  /** Each rule and how many of the widget's boards have its column; the people control is `people`. */
  reach: { rule: string; boards: number; of: number; own?: OwnList }[];
  /** Labels that rules name and that some of the boards that these reach do not know. */
  labels?: { label: string; boards: number; of: number }[];
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
  /** By how many items it is divided. */
  per?: number;
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
  { code: 'multi-value'; items: number; counted: number } | { code: 'coarser-bucket'; asked: Bucket; used: Bucket };

export interface ChartResult {
  variant: 'column' | 'bar' | 'line' | 'pie' | 'donut';
  function: Aggregate;
  /** The span of a date axis. */
  bucket?: Bucket;
  /** The span of the dates that it is stacked by. */
  seriesBucket?: Bucket;
  categories: ChartCategory[];
  /** One without a stack. */
  series: ChartSeries[];
  /** Of a pie or donut: whole percents of each category, 100 together. */
  percents?: number[];
  /** Whether each value has all that was before in it. */
  cumulative?: true;
  /** The function over all items shown. */
  total?: Written;
  format: Format;
  footnotes: ChartFootnote[];
}

/** A number with its short and its full form; null is none. */
export interface Written {
  value: number | null;
  text: string;
  full: string;
}

/** How many items are not as they should be. */
export interface Note {
  code:
    | 'no-effort'
    | 'negative-effort'
    | 'several-sprints'
    | 'done-without-date'
    | 'entered-late'
    | 'finished-late'
    | 'taken-out';
  items: number;
}

export interface Sprint {
  key: string;
  label: string;
  /** Its days, as `2026-11-21`. */
  from?: string;
  to?: string;
  phase: 'closed' | 'active' | 'future' | 'undated';
  /** The days are those of its items' dates. */
  inferred?: true;
}

/** Whether sums are of a column of efforts, or count items. */
export type Measure = 'items' | 'effort';

export interface VelocityResult {
  measure: Measure;
  sprints: (Sprint & { completed: Written; scope: Written; items: number })[];
  boards?: { id: string; name: string; completed: Written[] }[];
  average: Written;
  /** Keys of the sprints that the average is of. */
  averageOf: string[];
  format: Format;
  footnotes: Note[];
}

/** Items of a sprint by whether they were there when it began. */
export type PlannedClass =
  'plannedOpen' | 'unplannedOpen' | 'unknownOpen' | 'plannedDone' | 'unplannedDone' | 'unknownDone';

export interface PlannedResult {
  measure: Measure;
  graceDays: number;
  /** `seen`: by the dashboard's history, and so exact. */
  sprints: (Sprint & Record<PlannedClass, Written> & { unplannedPercent: Written; seen?: true })[];
  format: Format;
  footnotes: Note[];
}

export interface BurndownResult {
  measure: Measure;
  sprint?: Sprint;
  /** Those that can be chosen. */
  sprints: Sprint[];
  graceDays?: number;
  /** From before the first day to the end of the last; not there without a last day. */
  ideal?: { day?: string; value: number | null }[];
  /** As each day ended; the first is before the sprint. */
  days?: { day: string | null; scope: Written; remaining: Written }[];
  remaining?: Written;
  /** When nothing would be left at the mean pace so far. */
  projection?: { perDay: number | null; days: number; day: string };
  format?: Format;
  footnotes?: Note[];
}

export interface BatteryResult {
  segments: (ChartCategory & { value: number | null; items: number; percent: number })[];
  donePercent: number;
  total: number | null;
  footnotes: Note[];
}

export interface TableResult {
  columns: { title: string; type: string }[];
  /** A cell is null where it is empty. */
  rows: (ItemBehind & { cells: ({ text: string; color?: string; value?: number } | null)[] })[];
  total: number;
  offset: number;
}

export interface AppsResult {
  /** The whole address, as it is loaded. */
  address: string;
  /** Its scheme, host and port. */
  origin: string;
  /** Whether it is of this computer. */
  isLocal: boolean;
}

/** An item that a value is made of. */
export interface ItemBehind {
  boardId: string;
  itemId: string;
  name: string;
  group: string;
}

/** What is asked of the items behind a widget. */
export interface ItemsQuery {
  widget: string;
  /** Which part of what it shows, in the kind's own form; all of it where left out. */
  part?: Record<string, unknown>;
  offset?: number;
  /** 1,000 at most. */
  limit?: number;
}

export interface Items {
  total: number;
  items: ItemBehind[];
}

/** A part that a column of each board plays in a widget. */
export interface Role {
  name: string;
  /** Types of columns that can play it. */
  types: string[];
  /** Whether a board without such a column contributes nothing. */
  required: boolean;
}

interface AnswerBase {
  id: string;
  state: WidgetState;
  coverage: Coverage;
  /** Its settings in the present form, where they were in an older one. */
  settings?: Record<string, unknown>;
  /** As it is configured. */
  roles: Role[];
  /** The columns that play them: the chosen ones, and those that were found. */
  cols: Cols;
  approximate: boolean;
  /** Codes, such as `mixed-units`. */
  reasons: string[];
}

/** The kinds' results. */
export interface Results {
  numbers: NumbersResult;
  chart: ChartResult;
  velocity: VelocityResult;
  planned: PlannedResult;
  burndown: BurndownResult;
  battery: BatteryResult;
  table: TableResult;
  apps: AppsResult;
}

/** `result` is there in the states ok, no-items, all-filtered and no-values. */
export type WidgetAnswer = {
  [Kind in keyof Results]: AnswerBase & { kind: Kind; result?: Results[Kind] };
}[keyof Results];

export interface Answer {
  widgets: WidgetAnswer[];
  inertRules: InertRule[];
}

/** What of a widget's answer does not depend on the filters. */
export type FixedAnswer = Pick<AnswerBase, 'id' | 'settings' | 'roles' | 'cols'> & {
  kind: WidgetAnswer['kind'];
  /** Of the result of a burndown, from which to choose. */
  sprints?: BurndownResult['sprints'];
};

/** An answer as it is told: whole, or, to who says the number of what was told before, the rest with new pieces. */
export interface ToldAnswer extends Pick<Answer, 'inertRules'> {
  /** The number of all that has been told now. */
  told: number;
  /** Those that are new get the next numbers. */
  pieces?: object[];
  widgets: WidgetAnswer[] | ToldRest[];
}

/** A query whose widgets are told apart from it. */
export type QueryOfWidgets = Omit<Query, 'widgets'>;

export interface BoardInfo {
  id: string;
  name: string;
  items: number;
  columns: number;
}

/** What stands in a board's stream beside its items: of boards that it links to only the columns that it shows. */
export type BoardHead = Pick<Schemas['FullBoard'], 'board' | 'groups' | 'columns'> & {
  linked: Pick<Schemas['LinkedBoard'], 'boardId' | 'columns'>[];
};

export interface Mapping {
  cols: Cols;
  roles: Role[];
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
  head: {
    board: { id: string; name: string };
    groups: unknown[];
    columns: unknown[];
    members: unknown[];
    linked?: readonly unknown[];
  };
  items: {
    row: number;
    groupId: string;
    name: string;
    createdAt: number;
    updatedAt: number;
    parentId?: string | null;
    cells: Record<string, unknown>;
  }[];
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
  | { t: 'history'; name: string; history: unknown }
  /** With the widgets' JSON, and the number of what is fixed in the last answer. */
  | { t: 'query'; seq: number; query: QueryOfWidgets; widgets: string; known: number }
  | { t: 'patch'; patch: BoardPatch }
  | { t: 'view'; seq: number; query: ViewQuery }
  | { t: 'map'; seq: number; boards: string[]; widget: { id: string; kind: string } }
  | { t: 'items'; seq: number; query: Query; items: ItemsQuery };

/** From the worker to the page. `ms` is the time that the engine took. */
export type FromWorker =
  | { t: 'board'; id: string; rev: string; head: BoardHead; ms: number }
  | { t: 'board-failed'; id: string; rev: string; message: string }
  /** With the JSON of a `ToldAnswer`: a text is handed over faster than objects. */
  | { t: 'answer'; seq: number; answer: string; ms: number }
  | { t: 'mapped'; seq: number; mapping: Mapping }
  | { t: 'items'; seq: number; items: Items }
  | { t: 'viewed'; seq: number; view: ViewRows; ms: number }
  | { t: 'failed'; seq: number; message: string }
  | { t: 'broken'; message: string };
