/** Lets you correct a rejected value: reopens the cell's editor with the typed text. */
import { useEffect, useRef } from 'react';
import { toast } from '@shell/components';
import type { ColumnType } from './data';

export interface Again {
  item: string;
  column: string;
  /** What was typed. */
  text: string;
}

/** Types with typed values; values chosen from a list can't need corrections. */
const TYPED: ReadonlySet<ColumnType> = new Set<ColumnType>([
  'text',
  'longText',
  'number',
  'tags',
  'date',
  'timeline',
  'link',
  'email',
  'phone',
  'rating',
  'progress',
]);
export const isTyped = (type: ColumnType): boolean => TYPED.has(type);

/** Says whether it shows the cell. */
type Taker = (again: Again) => boolean;
let takers: readonly Taker[] = [];

/** Opens the editor of a cell that is shown, the innermost first. */
function editAgain(again: Again): void {
  if (!takers.toReversed().some((take) => take(again)))
    toast.problem("Couldn't show cell", new Error(`You typed: ${again.text}`));
}

/** A button of a message. */
export const editAgainAction = (again: Again) => ({ label: 'Edit again', run: () => editAgain(again) });

/** Opens the editors of the cells that are shown here. */
export function useEditAgain(take: Taker): void {
  const newest = useRef(take);
  useEffect(() => {
    newest.current = take;
  });
  useEffect(() => {
    const own: Taker = (again) => newest.current(again);
    takers = [...takers, own];
    return () => {
      takers = takers.filter((one) => one !== own);
    };
  }, []);
}
