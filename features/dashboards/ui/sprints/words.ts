/** Wording shared by the sprint widgets. */
import type { Measure, Note, Sprint } from '@shell/engine/types';
import { PHASES } from '@shell/gen/titles';
import type { BoardInfo } from '../boards';
import { mappedTitle, type Cols } from '../mapping';
import { counted } from '../words';

/** Titles of the column roles in sprint widgets. */
export const SPRINT_ROLES = {
  sprint: 'Sprint column',
  effort: 'Effort column',
  done: 'Done column',
  date: 'Completion date column',
  sprintStart: 'Sprint start date',
  sprintEnd: 'Sprint end date',
  created: 'Creation date column',
};

/** The unit of the widget: `Points`, or `Items` if it counts items. */
export const measureOf = (measure: Measure, cols: Cols, boards: readonly BoardInfo[]): string =>
  measure === 'items' ? 'Items' : (mappedTitle(cols, 'effort', boards) ?? 'Effort');

export const sprintLabel = ({ label, phase }: Sprint): string => `${label}${PHASES[phase]}`;

/** Footnotes as sentences. */
export const notesOf = (notes: readonly Note[] = []): string[] =>
  notes.map(({ code, items }) => {
    const some = counted(items, 'item');
    switch (code) {
      case 'no-effort':
        return `${some} without effort, counted as 0.`;
      case 'negative-effort':
        return `${some} with negative effort, counted as 0.`;
      case 'several-sprints':
        return `${some} in several sprints, counted only in the latest.`;
      case 'done-without-date':
        return `${some} done without a completion date.`;
      case 'entered-late':
        return `${some} added after the sprint ended, counted from its start.`;
      case 'finished-late':
        return `${some} finished after the sprint ended, not counted.`;
      case 'taken-out':
        return `${some} planned, then removed before the sprint ended.`;
      default:
        return `${some}: ${String(code)}.`;
    }
  });

/** How items are weighted, as a sentence. */
export const effortFormula = (cols: Cols, boards: readonly BoardInfo[]): string => {
  const title = mappedTitle(cols, 'effort', boards);
  return title ? `Items are weighted by ${title}. Items without a value count as 0.` : 'Each item counts as 1.';
};

/** How an item's sprint and completion are determined, as sentences. */
export const membershipFormula = (cols: Cols, boards: readonly BoardInfo[]): string =>
  `Sprints come from ${mappedTitle(cols, 'sprint', boards) ?? 'groups'}, combined across boards. Items count as done based on ${mappedTitle(cols, 'done', boards) ?? 'their status'}.`;

/** The period in which new items still count as planned, as part of a sentence. */
export const graceName = (days: number): string =>
  days === 0 ? 'by the end of the first day' : `up to ${counted(days, 'day')} after the first day`;
