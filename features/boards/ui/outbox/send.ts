/** Sending a step, and taking one back. */
import { ApiError, isForNow } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import type { CellValue } from '../data';
import type { Actor } from '../discussion';
import { marksOf, type BoardTable, type Changed } from '../table';
import { bodyOf, type Conflict, type Said, type Step } from './step';

/**
 * What the program answered to a step. `isUnchanged`: nothing had to change, so the revision is an earlier change's.
 * `isFault`: the reason isn't known, so it may succeed later. `isThere`: the step was made, and its undo was refused.
 */
export type Answer =
  | { revision: number; isUnchanged: boolean; changes?: Changes }
  | { conflicts: readonly Conflict[] }
  | { refused: string; stands?: number; isFault: boolean; isThere: boolean };

/** What has changed since a board was as the page held it. */
export interface Changes {
  since: BoardTable;
  changed: Changed;
}

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

const patchCells = (step: Step, held: BoardTable | undefined) =>
  client.patch('/boards/{boardId}/cells', {
    path: { boardId: step.board },
    body: {
      ...bodyOf(step),
      ...(held ? { since: held.meta.board.revision, linked: marksOf(held) } : {}),
    },
  });

/** Sends what is said. A comment is known by its id and an edit by its text: sending either again changes nothing. */
async function say({ board, said: { way, item, comment, text, revision } }: Step & { said: Said }): Promise<unknown> {
  const path = { boardId: board, itemId: item };
  const one = { ...path, commentId: comment };
  if (way === 'add')
    return client.post('/boards/{boardId}/items/{itemId}/comments', { path, body: { id: comment, text } });
  if (way === 'edit')
    return client.patch('/boards/{boardId}/items/{itemId}/comments/{commentId}', {
      path: one,
      body: { text },
      ifMatch: `"${revision}"`,
    });
  try {
    return await client.delete('/boards/{boardId}/items/{itemId}/comments/{commentId}', { path: one });
  } catch (failure) {
    // It is gone, and that was what was asked.
    if (failure instanceof ApiError && failure.status === 404) return null;
    throw failure;
  }
}

const PASSED = 'It was edited elsewhere since then. Retry to replace that text with yours.';
const isSaid = (step: Step): step is Step & { said: Said } => step.said !== undefined;

/**
 * Sends a step. What arrived already is known by its id: sending it again changes nothing, and answers its revision. The answer
 * brings what has changed since the board was as it is `held`, so that nobody has to ask for it.
 */
export async function send(
  step: Step,
  held?: BoardTable,
  patch: typeof patchCells = patchCells,
): Promise<Answer | { away: ApiError }> {
  let isThere = false;
  try {
    if (isSaid(step)) {
      await say(step);
      // Comments leave the board's revision alone.
      return { revision: 0, isUnchanged: false };
    }
    const { boardRevision, unchanged: isUnchanged = false, changes: changed } = await patch(step, held);
    isThere = true;
    if (step.isUndone && !isUnchanged) return { revision: await takeBack(step.board, boardRevision), isUnchanged };
    return {
      revision: boardRevision,
      isUnchanged,
      ...(held && changed ? { changes: { since: held, changed: changed as Changed } } : {}),
    };
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    if (isForNow(failure)) return { away: failure };
    const stands = failure.status === 412 && isSaid(step) ? failure.problem.revision : undefined;
    if (typeof stands === 'number') return { refused: PASSED, stands, isFault: false, isThere };
    const conflicts = conflictsOf(failure);
    return conflicts.length > 0
      ? { conflicts }
      : { refused: failure.errors[0]?.detail ?? failure.message, isFault: failure.status >= 500, isThere };
  }
}

/** Takes a revision of a board back as one step; the revision that did. */
export async function takeBack(boardId: string, revision: number): Promise<number> {
  const { undoneBy } = (await client.post('/boards/{boardId}/undo', {
    path: { boardId },
    body: { revision },
  })) as Schemas['Reverted'];
  return undoneBy;
}
