/**
 * Undo and redo. A step remembers what was before and after it; undoing applies the difference to what is there now, so
 * that it takes back the own step only and not what someone else did since.
 */
import type { Doc } from '../model';
import { merge, sameDoc } from './merge';

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
  if (group !== null && last?.group === group && now_ms - last.at_ms < TOGETHER_MS) {
    return { done: [...history.done.slice(0, -1), { ...last, after, at_ms: now_ms }], undone: [] };
  }
  return { done: [...history.done, { before, after, group, at_ms: now_ms }].slice(-STEPS_MAX), undone: [] };
}

/** A history and the document after going one step back or forward; null where there is none. */
export interface Moved {
  history: History;
  doc: Doc;
}

/** Takes the last step back. Steps that change nothing any more are passed over. */
export function undo(history: History, now: Doc): Moved | null {
  const step = history.done.at(-1);
  if (!step) return null;
  const rest: History = { done: history.done.slice(0, -1), undone: [...history.undone, step] };
  // As if someone had gone back from `after` to `before`: where the place changed since, the step wins.
  const { doc } = merge(step.after, step.before, now);
  return sameDoc(doc, now) ? undo({ ...rest, undone: history.undone }, now) : { history: rest, doc };
}

/** Brings the last undone step back. */
export function redo(history: History, now: Doc): Moved | null {
  const step = history.undone.at(-1);
  if (!step) return null;
  const rest: History = { done: [...history.done, step], undone: history.undone.slice(0, -1) };
  const { doc } = merge(step.before, step.after, now);
  return sameDoc(doc, now) ? redo({ ...rest, done: history.done }, now) : { history: rest, doc };
}
