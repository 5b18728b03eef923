/** What is asked of a board beside cells and items, such as another title of a column: a step of the person's like any other. */
import { client, type Schemas } from '@shell/client';
import { boxOf } from './box';
import type { Back, Made } from './history';
import { takeBack } from './send';

/** By what an answer says how to take back what was done. Changes of views have no revision of the board. */
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

/** Where all was so already there is nothing to take back. */
const stepOf = (board: string, answer: Answered): Back | 'unchanged' =>
  answer.unchanged ? 'unchanged' : backOf(board, answer);

/** What was done already stands on the stack from now on, under these words. */
export const done = (board: string, answer: Answered, told: Made['told']): Made =>
  boxOf(board).note(Promise.resolve(stepOf(board, answer)), told);

/** Waits for what was asked. It stands on the stack from now on, and no longer where it is refused. The step comes with the answer. */
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
