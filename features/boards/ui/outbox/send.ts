/** Sending a step, and taking one back. */
import { api, ApiError } from '@shell/api';
import type { CellValue } from '../data';
import type { Actor } from '../discussion';
import { bodyOf, type Conflict, type Step } from './step';

/** What came of sending a step. */
export type Outcome = { revision: number } | { away: true } | { conflicts: readonly Conflict[] } | { refused: string };

/** Silence, and what may be over the next time. */
const isAway = (failure: ApiError) => failure.status === 0 || failure.status === 401 || failure.status >= 500;

interface Told {
  itemId: string;
  name: string;
  field: string;
  present: CellValue;
  mine: CellValue;
  changedBy?: Actor;
  changedAt?: string;
}

/** What a refusal says about the others' values; nothing where it was refused for another reason. */
function conflictsOf(failure: ApiError): Conflict[] {
  const told = failure.problem.conflicts;
  if (failure.status !== 412 || !Array.isArray(told)) return [];
  return (told as Told[]).map(({ itemId, name, field, present, mine, changedBy, changedAt }) => ({
    item: itemId,
    name,
    column: field,
    mine,
    theirs: present,
    ...(changedBy ? { by: changedBy } : {}),
    ...(changedAt ? { at: changedAt } : {}),
  }));
}

/** Sends a step. Sending again what arrived already changes nothing. */
export async function send(step: Step, patch: typeof api.patch = api.patch): Promise<Outcome> {
  try {
    const { boardRevision } = await patch<{ boardRevision: number }>(`/boards/${step.board}/cells`, bodyOf(step));
    return { revision: boardRevision };
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    if (isAway(failure)) return { away: true };
    const conflicts = conflictsOf(failure);
    return conflicts.length > 0 ? { conflicts } : { refused: failure.errors[0]?.detail ?? failure.message };
  }
}

/** Takes a revision of a board back as one step; the revision that did. */
export const takeBack = async (board: string, revision: number): Promise<number> => (await api.post<{ undoneBy: number }>(`/boards/${board}/undo`, { revision })).undoneBy;
