/** What is asked of a board beside cells and items, such as another title of a column: a step of the person's like any other. */
import { client, type Schemas } from '@shell/client';
import { boxOf } from './box';
import type { Back, Made } from './history';
import { takeBack } from './send';

/** By what an answer says how to take back what was done. Changes of views have no revision of the board. */
type Answered = ({ boardRevision: number } | { changeId?: string | null }) & { unchanged?: boolean };

const backOf =
  (boardId: string, answer: Answered, told?: () => void): Back =>
  async () => {
    if (!('changeId' in answer)) return backOf(boardId, { boardRevision: await takeBack(boardId, (answer as { boardRevision: number }).boardRevision) });
    const { changeId } = (await client.post('/boards/{boardId}/undo', { path: { boardId }, body: { changeId: answer.changeId ?? null } })) as Schemas['Undone'];
    told?.();
    return backOf(boardId, { changeId }, told);
  };

/** Where all was so already there is nothing to take back. */
const stepOf = (board: string, answer: Answered, told?: () => void): Back | 'unchanged' => (answer.unchanged ? 'unchanged' : backOf(board, answer, told));

/** What was done already stands on the stack from now on; `told` hears each time that it is taken back or done again. */
export const done = (board: string, answer: Answered, told?: () => void): Made => boxOf(board).note(Promise.resolve(stepOf(board, answer, told)));

/** Waits for what was asked. It stands on the stack from now on, and no longer where it is refused. The step comes with the answer. */
export async function did<Answer extends Answered>(board: string, asked: Promise<Answer>): Promise<Answer & { made: Made }> {
  const made = boxOf(board).note(asked.then((answer) => stepOf(board, answer)));
  return { ...(await asked), made };
}
