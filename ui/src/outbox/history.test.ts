/** The order in which steps are undone and redone. */
import { expect, it } from 'vitest';
import { lastStep, mapped, moved, noHistory, STEPS_MAX, withStep, type History } from './history';

const made = (at: number) => ({ at });
type Made = ReturnType<typeof made>;

it('goes back and forth, the last hundred steps of it, and a new step forgets what was taken back', () => {
  let history: History<Made> = noHistory;
  for (let at = 0; at <= STEPS_MAX; at++) history = withStep(history, made(at));
  const last = lastStep(history, 'undo')!;
  expect(last.at).toBe(STEPS_MAX);
  history = moved(history, 'undo', last, made(500));
  expect([lastStep(history, 'undo')?.at, lastStep(history, 'redo')?.at]).toEqual([STEPS_MAX - 1, 500]);
  history = moved(history, 'redo', lastStep(history, 'redo')!, made(501));
  expect([lastStep(history, 'undo')?.at, lastStep(history, 'redo')]).toEqual([501, null]);
  for (let at = 0; at < STEPS_MAX; at++) history = moved(history, 'undo', lastStep(history, 'undo')!, null);
  expect(lastStep(history, 'undo')).toBeNull();
  history = withStep(history, made(1));
  history = moved(history, 'undo', lastStep(history, 'undo')!, made(2));
  history = withStep(history, made(3));
  expect(lastStep(history, 'redo')).toBeNull();
});

it('takes a step away that is not the last, and changes steps where they are', () => {
  const [first, second] = [made(1), made(2)];
  const history = moved(withStep(withStep<Made>(noHistory, first), second), 'undo', first, first);
  expect(history).toEqual({ done: [second], undone: [first] });
  expect(mapped(history, (step) => (step === first ? made(3) : step))).toEqual({ done: [second], undone: [made(3)] });
});
