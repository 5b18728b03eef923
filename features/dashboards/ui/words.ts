/** What is said about answers: the engine's codes in sentences. */
import type { Coverage } from '@shell/engine/types';

/** `3 items`. */
export const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

const SKIPPED: Record<string, string> = {
  'empty-value': 'without a value',
  'empty-category': 'in no category',
  'other-type': 'of another type of column',
  'no-sprint': 'in no sprint',
  'other-sprint': 'of other sprints',
  cancelled: 'cancelled',
};

/** What was left out and why, a line each. */
export const skippedLines = ({ skippedWhy }: Coverage): string[] =>
  skippedWhy.map(({ reason, items = 0, boards = [] }) => {
    if (reason === 'subitem') return `${counted(items, 'subitem')} not counted`;
    if (reason === 'unmapped') return `${counted(boards.length, 'board')} without a column for it`;
    if (reason === 'failed') return `${counted(boards.length, 'board')} could not be loaded`;
    return `${counted(items, 'item')} ${SKIPPED[reason] ?? reason}`;
  });

/** Subitems that are not counted. */
export const subitemsLeft = ({ skippedWhy }: Coverage): number => skippedWhy.find(({ reason }) => reason === 'subitem')?.items ?? 0;
