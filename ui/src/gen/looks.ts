// Generated from the looks of the published page; do not edit: `cargo test -p app generated`.

/** Colors of series that have none of their own, such as boards; distinct on light and dark. */
export const COLORS = ['#5b72d6', '#d98324', '#2f9e77', '#c2559b', '#7f8ba3', '#a8912b', '#4aa3c7', '#b5543f'] as const;

/** Completed in a sprint. */
export const COMPLETED = '#2f9e77';
/** The lines of a burndown. */
export const REMAINING = '#5b72d6';
/** All items of the sprint. */
export const SCOPE = '#d98324';
/** The straight line to zero. */
export const IDEAL = '#7f8ba3';

/** What was planned and what was not. */
export const CLASSES = [
  { key: 'plannedDone', label: 'Planned, done', color: '#5b72d6', look: 'plain' },
  { key: 'plannedOpen', label: 'Planned, open', color: '#5b72d6', look: 'hatch' },
  { key: 'unplannedDone', label: 'Unplanned, done', color: '#d98324', look: 'dots' },
  { key: 'unplannedOpen', label: 'Unplanned, open', color: '#d98324', look: 'lines' },
  { key: 'unknownDone', label: 'Unknown, done', color: '#7f8ba3', look: 'plain' },
  { key: 'unknownOpen', label: 'Unknown, open', color: '#7f8ba3', look: 'hatch' },
] as const;
