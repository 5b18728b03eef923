/** Sending a step, and taking one back. */
import { ApiError, isForNow } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import type { CellValue } from '../data';
import type { Actor } from '../discussion';
import { marksOf, type BoardTable, type Changed } from '../table';
import { bodyOf, type Conflict, type Said, type Step } from './step';

/**
 * The answer to a step. `isUnchanged`: nothing had to change, so the revision is an earlier change's. `isFault`: the
 * cause is unknown, so a retry may succeed. `isThere`: the step was saved, and its undo was rejected.
 */
export type Answer =
  | { revision: number; isUnchanged: boolean; changes?: Changes }
  | { conflicts: readonly Conflict[] }
  | { refused: string; stands?: number; isFault: boolean; isThere: boolean };

/** Changes since the board state that the page had. */
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

/** Conflicting values reported by an error; empty for other errors. */
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

/** Sends a comment change. Retries are safe, because a comment is identified by its ID and an edit by its text. */
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
 * Sends a step. Retries are safe: a step that was already saved is identified by its ID and answers its revision. The
 * answer includes the changes since the board state `held`, so they needn't be requested.
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
