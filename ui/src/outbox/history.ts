/** What can be undone and redone. What undoing does is the feature's own: a history only knows the order of the steps. */

/** Steps kept. */
export const STEPS_MAX = 100;

export type Way = 'undo' | 'redo';

/** Steps in their order: those that can be undone, and those that were. */
export interface History<Step> {
  done: readonly Step[];
  undone: readonly Step[];
}

/** Nothing to undo. */
export const noHistory: History<never> = { done: [], undone: [] };

/** A new step forgets those that were undone. */
export const withStep = <Step>({ done }: History<Step>, step: Step): History<Step> => ({
  done: [...done, step].slice(-STEPS_MAX),
  undone: [],
});

/** The step that would be undone or redone; `null` where there is none. */
export const lastStep = <Step>({ done, undone }: History<Step>, way: Way): Step | null =>
  (way === 'undo' ? done : undone).at(-1) ?? null;

/** A step went to the other side, as what it is now; or it is forgotten. */
export function moved<Step>({ done, undone }: History<Step>, way: Way, step: Step, now: Step | null): History<Step> {
  const without = (side: readonly Step[]) => side.filter((one) => one !== step);
  const put = (side: readonly Step[]) => (now === null ? side : [...side, now]);
  return way === 'undo' ? { done: without(done), undone: put(undone) } : { done: put(done), undone: without(undone) };
}

/** Each step as what it is now, on the side where it is. */
export const mapped = <Step>({ done, undone }: History<Step>, change: (step: Step) => Step): History<Step> => ({
  done: done.map(change),
  undone: undone.map(change),
});
