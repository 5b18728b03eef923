/**
 * Undo and redo. A step remembers what was before and after it; undoing applies the difference to what is there now, so
 * that it takes back the own step only and not what someone else did since.
 */
import { lastStep, mapped, moved, withStep, type History, type Way } from '@shell/outbox';
import type { Doc } from '../model';
import { merge, mergeBehind, sameDoc, type Clash } from './merge';

/** Steps of the same kind within this time are one: typing a title is not a step for each letter. */
const TOGETHER_MS = 1000;

export interface Step {
  before: Doc;
  after: Doc;
  /** Steps with the same name in quick succession become one. */
  group: string | null;
  at_ms: number;
}

/** The steps of a dashboard. */
export type Steps = History<Step>;

/** Remembers a step. */
export function remember(history: Steps, before: Doc, after: Doc, now_ms: number, group: string | null): Steps {
  const last = history.done.at(-1);
  // What someone else did in between is part of no step.
  if (group !== null && last?.group === group && now_ms - last.at_ms < TOGETHER_MS && sameDoc(last.after, before)) {
    return { done: [...history.done.slice(0, -1), { ...last, after, at_ms: now_ms }], undone: [] };
  }
  return withStep(history, { before, after, group, at_ms: now_ms });
}

/** The history where mine was kept over theirs: taking that step back leads to theirs, not to what was there before both. */
export const uponTheirs = (history: Steps, clashes: readonly Clash[]): Steps => ({
  ...history,
  done: history.done.map((step) =>
    clashes.reduce(
      (moved, { isFrom, takeOther }) =>
        isFrom(step.before) && !isFrom(step.after) ? { ...moved, before: takeOther(moved.before) } : moved,
      step,
    ),
  ),
});

/** The history where the program stored something else than was sent, such as a name without its spaces. */
export const asStored = (history: Steps, sent: Doc, stored: Doc): Steps =>
  mapped(history, (step) => ({
    ...step,
    before: merge(sent, step.before, stored).doc,
    after: merge(sent, step.after, stored).doc,
  }));

/** A history and the document after going one step back or forward. */
export interface Moved {
  history: Steps;
  doc: Doc;
  /** What of the step was left as it is, because someone else changed it since. */
  left: readonly string[];
}

/** Undoes or redoes the last step, where it still stands; null where there is none. Steps that change nothing any more are passed over. */
export function travel(way: Way, history: Steps, now: Doc): Moved | null {
  const step = lastStep(history, way);
  if (!step) return null;
  // As if someone had gone there from where the step has led.
  const { doc, left } =
    way === 'undo' ? mergeBehind(step.after, step.before, now) : mergeBehind(step.before, step.after, now);
  if (!sameDoc(doc, now)) return { history: moved(history, way, step, step), doc, left };
  const rest = moved(history, way, step, null);
  return left.length > 0 ? { history: rest, doc: now, left } : travel(way, rest, now);
}
