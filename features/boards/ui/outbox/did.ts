/** Changes of a board apart from cells and items, such as a column's title, as undoable steps. */
import { client, type Schemas } from '@shell/client';
import { boxOf } from './box';
import type { Back, Made } from './history';
import { takeBack } from './send';

/** The answer's reference for an undo. View changes don't have a board revision. */
type Answered = ({ boardRevision: number } | { changeId?: string | null }) & { unchanged?: boolean };

const backOf =
  (boardId: string, answer: Answered): Back =>
  async () => {
    if (!('changeId' in answer))
      return backOf(boardId, {
        boardRevision: await takeBack(boardId, (answer as { boardRevision: number }).boardRevision),
      });
    const { changeId } = (await client.post('/boards/{boardId}/undo', {
      path: { boardId },
      body: { changeId: answer.changeId ?? null },
    })) as Schemas['Undone'];
    return backOf(boardId, { changeId });
  };

/** Undefined if nothing changed, so there is nothing to undo. */
const stepOf = (board: string, answer: Answered): Back | 'unchanged' =>
  answer.unchanged ? 'unchanged' : backOf(board, answer);

/** Adds a finished change to the undo history, with this description. */
export const done = (board: string, answer: Answered, told: Made['told']): Made =>
  boxOf(board).note(Promise.resolve(stepOf(board, answer)), told);

/**
 * Waits for a change. It's in the undo history from now on, and is removed if rejected. Returns the answer with its
 * step.
 */
export async function did<Answer extends Answered>(
  board: string,
  told: Made['told'],
  asked: Promise<Answer>,
): Promise<Answer & { made: Made }> {
  const made = boxOf(board).note(
    asked.then((answer) => stepOf(board, answer)),
    told,
  );
  return { ...(await asked), made };
}
