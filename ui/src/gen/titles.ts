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
  distinct: { alone: 'Different values', of: 'Different values of {}' },
} as const;

/** What a chart compares by, where it is no column that is known. */
export const AXES = {
  column: 'Value',
  group: 'Group',
  board: 'Board',
  name: 'Item name',
  created: 'Day of creation',
  updated: 'Day of the last change',
} as const;

/** Kinds that are called the same whatever their settings. */
export const KINDS = {
  velocity: 'Velocity',
  planned: 'Planned vs unplanned',
  burndown: 'Burndown',
  battery: 'Battery',
  table: 'Table',
  apps: 'App',
} as const;

/** Numbers that are a share. */
export const SHARE = 'Share of items';
/** Numbers that are divided by the items that meet rules. */
export const PER = '{} per chosen item';
/** A measure, and what a chart compares by. */
export const BY = '{} by {}';
/** Two columns of other names. */
export const TWO = '{} and {}';
/** More of them. */
export const MORE = '{} and {} other columns';
