/**
 * Undo and redo. A step remembers what was before and after it; undoing applies the difference to what is there now, so
 * that it takes back the own step only and not what someone else did since.
 */
import type { Doc } from '../model';
import { merge, mergeBehind, sameDoc, type Clash } from './merge';

/** Steps kept. */
export const STEPS_MAX = 100;
/** Steps of the same kind within this time are one: typing a title is not a step for each letter. */
const TOGETHER_MS = 1000;

interface Step {
  before: Doc;
  after: Doc;
  /** Steps with the same name in quick succession become one. */
  group: string | null;
  at_ms: number;
}

/** What can be taken back and brought back. */
export interface History {
  done: readonly Step[];
  undone: readonly Step[];
}

/** Nothing to undo. */
export const noHistory: History = { done: [], undone: [] };

/** Remembers a step. */
export function remember(history: History, before: Doc, after: Doc, now_ms: number, group: string | null): History {
  const last = history.done.at(-1);
  // What someone else did in between is part of no step.
  if (group !== null && last?.group === group && now_ms - last.at_ms < TOGETHER_MS && sameDoc(last.after, before)) {
    return { done: [...history.done.slice(0, -1), { ...last, after, at_ms: now_ms }], undone: [] };
  }
  return { done: [...history.done, { before, after, group, at_ms: now_ms }].slice(-STEPS_MAX), undone: [] };
}

/** The history where mine was kept over theirs: taking that step back leads to theirs, not to what was there before both. */
export const uponTheirs = (history: History, clashes: readonly Clash[]): History => ({
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
export const asStored = ({ done, undone }: History, sent: Doc, stored: Doc): History => {
  const follow = (step: Step): Step => ({
    ...step,
    before: merge(sent, step.before, stored).doc,
    after: merge(sent, step.after, stored).doc,
  });
  return { done: done.map(follow), undone: undone.map(follow) };
};

/** A history and the document after going one step back or forward. */
export interface Moved {
  history: History;
  doc: Doc;
  /** What of the step was left as it is, because someone else changed it since. */
  left: readonly string[];
}

/** Takes the last step back, where it still stands; null where there is none. Steps that change nothing any more are passed over. */
export function undo({ done, undone }: History, now: Doc): Moved | null {
  const step = done.at(-1);
  if (!step) return null;
  const rest = done.slice(0, -1);
  // As if someone had gone back from `after` to `before`.
  const { doc, left } = mergeBehind(step.after, step.before, now);
  if (!sameDoc(doc, now)) return { history: { done: rest, undone: [...undone, step] }, doc, left };
  return left.length > 0 ? { history: { done: rest, undone }, doc: now, left } : undo({ done: rest, undone }, now);
}

/** Brings the last undone step back. */
export function redo({ done, undone }: History, now: Doc): Moved | null {
  const step = undone.at(-1);
  if (!step) return null;
  const rest = undone.slice(0, -1);
  const { doc, left } = mergeBehind(step.before, step.after, now);
  if (!sameDoc(doc, now)) return { history: { done: [...done, step], undone: rest }, doc, left };
  return left.length > 0 ? { history: { done, undone: rest }, doc: now, left } : redo({ done, undone: rest }, now);
}
