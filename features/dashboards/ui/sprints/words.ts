/** What the kinds that are about sprints have in common to say. */
import type { Measure, Note, Sprint } from '@shell/engine/types';
import { PHASES } from '@shell/gen/titles';
import type { BoardInfo } from '../boards';
import { mappedTitle, type Cols } from '../mapping';
import { counted } from '../words';

/** What columns play in them. */
export const SPRINT_ROLES = { sprint: 'Sprint column', effort: 'Effort column', done: 'Done column', date: 'Completion date column', sprintStart: 'Sprint start date', sprintEnd: 'Sprint end date', created: 'Creation date column' };

/** `Points`, or `Items` where they are counted. */
export const measureOf = (measure: Measure, cols: Cols, boards: readonly BoardInfo[]): string => (measure === 'items' ? 'Items' : (mappedTitle(cols, 'effort', boards) ?? 'Effort'));

export const sprintLabel = ({ label, phase }: Sprint): string => `${label}${PHASES[phase]}`;

/** Notes in words. */
export const notesOf = (notes: readonly Note[] = []): string[] =>
  notes.map(({ code, items }) => {
    const some = counted(items, 'item');
    const have = items === 1 ? 'has' : 'have';
    switch (code) {
      case 'no-effort':
        return `${some} without effort, counted as 0.`;
      case 'negative-effort':
        return `${some} with a negative effort, counted as 0.`;
      case 'several-sprints':
        return `${some} of several sprints, counted in the latest only.`;
      case 'done-without-date':
        return `${some} done but ${have} no date.`;
      case 'entered-late':
        return `${some} entered after the end of the sprint, counted from its beginning.`;
      case 'finished-late':
        return `${some} finished after the end of the sprint, not counted.`;
      case 'taken-out':
        return `${some} planned and taken out before the sprint ended.`;
      default:
        return `${some}: ${String(code)}.`;
    }
  });

/** What an item weighs, in words. */
export const effortFormula = (cols: Cols, boards: readonly BoardInfo[]): string => {
  const title = mappedTitle(cols, 'effort', boards);
  return title ? `An item weighs its ${title}; one without weighs 0.` : 'Each item counts as one.';
};

/** When items are of which sprint and done, in words. */
export const membershipFormula = (cols: Cols, boards: readonly BoardInfo[]): string =>
  `Sprints are those of ${mappedTitle(cols, 'sprint', boards) ?? 'the groups'}, of all boards together; items are done by ${mappedTitle(cols, 'done', boards) ?? 'their status'}.`;
