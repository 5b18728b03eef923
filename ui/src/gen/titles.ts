// Generated from the words of the published page; do not edit: `cargo test -p app generated`.

/** What a function makes of items: its name alone, and of a column. */
export const MEASURES = {
  sum: { alone: 'Sum', of: 'Sum of {}' },
  average: { alone: 'Average', of: 'Average {}' },
  median: { alone: 'Median', of: 'Median {}' },
  min: { alone: 'Smallest', of: 'Smallest {}' },
  max: { alone: 'Largest', of: 'Largest {}' },
  count: { alone: 'Number of items', of: 'Number of items' },
  countFilled: { alone: 'Filled cells', of: 'Filled cells of {}' },
  distinct: { alone: 'Unique values', of: 'Unique values of {}' },
} as const;

/** What a chart compares by, where it is no column that is known. */
export const AXES = {
  column: 'Value',
  group: 'Group',
  board: 'Board',
  name: 'Item name',
  created: 'Date created',
  updated: 'Last updated',
} as const;

/** Kinds that are called the same whatever their settings. */
export const KINDS = {
  velocity: 'Velocity',
  planned: 'Planned vs. unplanned',
  burndown: 'Burndown',
  battery: 'Battery',
  table: 'Table',
  apps: 'App',
} as const;

/** Why a widget has no values, by the engine's reasons. */
export const NO_VALUES = {
  'negative-pie': "A pie can't show negative values.",
  'no-sprints': 'No items in a sprint yet.',
  'only-future-sprints': 'No sprint has started yet.',
  'no-done-labels': 'No label is marked as done.',
  'undated-sprints': 'The sprints have no dates.',
  'sprint-gone': 'The chosen sprint no longer exists.',
  'nothing-estimated': 'No items in this sprint have effort values.',
  'none-met': 'No items match the rules to divide by.',
  'inert-rules': 'A rule of this widget has no effect, so its result would be wrong.',
  'too-large': 'The result is too large for a number.',
} as const;

/** What is said of a sprint beside its name. */
export const PHASES = {
  active: ' (active)',
  future: ' (not started)',
  undated: ' (no dates)',
  closed: '',
} as const;

/** Comparisons of rules, as people read them behind the column's title. */
export const COMPARISONS = {
  contains: 'contains',
  notContains: "doesn't contain",
  is: 'is',
  isNot: "isn't",
  startsWith: 'starts with',
  '=': '=',
  '!=': '≠',
  '>': '>',
  '>=': '≥',
  '<': '<',
  '<=': '≤',
  between: 'is between',
  anyOf: 'is any of',
  noneOf: 'is none of',
  hasAny: 'has any of',
  hasAll: 'has all of',
  hasNone: 'has none of',
  on: 'is on',
  before: 'is before',
  after: 'is after',
  today: 'is today',
  yesterday: 'is yesterday',
  tomorrow: 'is tomorrow',
  thisWeek: 'is this week',
  lastWeek: 'is last week',
  nextWeek: 'is next week',
  thisMonth: 'is this month',
  lastMonth: 'is last month',
  nextMonth: 'is next month',
  thisQuarter: 'is this quarter',
  lastQuarter: 'is last quarter',
  nextQuarter: 'is next quarter',
  lastDays: 'is in the last days',
  nextDays: 'is in the next days',
  overdue: 'is overdue',
  isChecked: 'is checked',
  isNotChecked: 'is not checked',
  isEmpty: 'is empty',
  isNotEmpty: "isn't empty",
} as const;

/** Numbers that are a share. */
export const SHARE = 'Share of items';
/** Numbers that are divided by the items that meet rules. */
export const PER = '{} per matching item';
/** A measure, and what a chart compares by. */
export const BY = '{} by {}';
/** Two columns of other names. */
export const TWO = '{} and {}';
/** More of them. */
export const MORE = '{} and {} other columns';
/** Where no reason says why there are no values: how many items there are. */
export const NO_VALUE = '{}, but none has a value in this column.';
/** Filters that let none of the items pass. */
export const NONE_MATCH = '0 of {} match the filters.';
/** Rules of the widget's own that do. */
export const NONE_MATCH_OWN = "0 of {} match this widget's rules.";
