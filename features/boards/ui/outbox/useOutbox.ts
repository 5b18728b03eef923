/** Gives the page's components access to the open board's steps; see box.ts. */
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { BoardTable } from '../table';
import { boxOf, type Viewer } from './box';
import type { Made } from './history';
import { heldIn, type Conflict, type Parts, type Step } from './step';
import type { Progress } from './undo';

export interface Outbox {
  /** What waits for the program, without what waits for a decision or behind one. */
  waiting: number;
  /** Why, where it is not for the connection. */
  why: string | null;
  /** Steps that wait for a decision. */
  troubled: readonly Step[];
  /** What waits behind those. */
  behind: number;
  /** What takes several requests, the one that began first before the others. */
  progress: readonly Progress[];
  /** What is shown above what the page holds of the board. */
  shown: readonly Step[];
  write: (parts: Parts) => Made | null;
  undo: () => void;
  redo: () => void;
  /** Takes one step back, whatever came after it. */
  takeBack: (made: Made) => Promise<void>;
  decide: (step: Step, conflicts: readonly Conflict[], keep: 'mine' | 'theirs') => void;
  /** Gives a refused step up. */
  discard: (step: Step) => void;
  retry: (step: Step) => void;
}

/** `held` is the board as the page holds it. */
export function useOutbox(
  board: string,
  held: BoardTable | undefined,
  { holds, follow, settled }: Omit<Viewer, 'table'>,
): Outbox {
  const current = useMemo(() => boxOf(board), [board]);
  useSyncExternalStore(current.subscribe, () => current.round);
  useEffect(() => current.shownBy({ table: held, holds, follow, settled }), [current, held, holds, follow, settled]);
  useEffect(() => void current.open(), [current]);

  const revision = held?.meta.board.id === board ? held.meta.board.revision : 0;
  const { steps, sent } = current;
  const shown = useMemo(
    () => [
      ...sent.filter((one) => one.revision > revision).map(({ step }) => step),
      ...steps.filter((step) => !step.problem && !step.isUndone && !step.said),
    ],
    [steps, sent, revision],
  );
  useEffect(() => current.isHeld(revision), [current, revision]);

  const troubled = steps.filter((step) => step.problem);
  const behind = heldIn(steps).size - troubled.length;
  return {
    waiting: current.isAway ? steps.length - troubled.length - behind : 0,
    why: current.why,
    troubled,
    behind,
    progress: current.progress,
    shown,
    write: useCallback((parts: Parts) => current.write(parts), [current]),
    undo: useCallback(() => current.go('undo'), [current]),
    redo: useCallback(() => current.go('redo'), [current]),
    // From a message that is still there when the board was left.
    takeBack: useCallback((made: Made) => boxOf(made.board).takeBack(made), []),
    decide: useCallback(
      (step: Step, conflicts: readonly Conflict[], keep: 'mine' | 'theirs') => current.decide(step, conflicts, keep),
      [current],
    ),
    discard: useCallback((step: Step) => current.drop(step.at), [current]),
    retry: useCallback((step: Step) => current.retry(step), [current]),
  };
}
