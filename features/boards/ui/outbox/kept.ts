/** Steps that wait for the program are kept in this browser, over a reload of the page. */
import { openRecordStore } from '@shell/recordStore';
import type { Step } from './step';

const records = openRecordStore<Step>('pilothouse-steps', 'steps');
/** In the order of their keys the steps of a board are in theirs. */
const keyOf = ({ board, at }: Step) => `${board}/${String(at).padStart(16, '0')}`;

/** Steps of a board that this browser keeps, in their order. */
export async function kept(board: string): Promise<Step[]> {
  return (await records.all()).filter((step) => step.board === board).sort((a, b) => a.at - b.at);
}

/** Makes what is kept of a board what waits now. */
export async function keepOnly(before: readonly Step[], now: readonly Step[]): Promise<void> {
  const known = new Map(before.map((step) => [step.at, step]));
  for (const step of now) if (known.get(step.at) !== step) await records.write(keyOf(step), step);
  for (const step of before) if (!now.some(({ at }) => at === step.at)) await records.remove(keyOf(step));
}
