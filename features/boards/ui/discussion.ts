/** Comments and activity of an item: types, queries, and requests. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { useLiveEvent } from '@shell/live';
import { outdate } from '@shell/query';
import type { CellValue } from './data';
import type { Box } from './outbox/box';
import { did } from './outbox/did';

/** The author of a comment or change. */
export type Actor = Schemas['ActivityActor'];

/** A comment on an item, as far as it is shown. */
export type Comment = Pick<
  Schemas['CommentRecord'],
  'id' | 'author' | 'text' | 'deleted' | 'own' | 'createdAt' | 'revision'
>;

/** A change of an item; its values are cell values, or describe the whole item. */
export type Change = Omit<Schemas['ActivityEntry'], 'before' | 'after'> & {
  before: CellValue | object;
  after: CellValue | object;
};

/** An item's parent and group. */
export interface Place {
  board: string;
  item: string;
}

const path = ({ board, item }: Place) => ({ boardId: board, itemId: item });

interface PageOf<T> {
  items: T[];
  nextCursor?: string | null;
}

function usePages<T>(
  place: Place,
  list: 'comments' | 'activity',
  read: (asked: { query: { cursor: string | null; limit: number }; signal: AbortSignal }) => Promise<PageOf<T>>,
) {
  return useInfiniteQuery({
    queryKey: ['item', place.board, place.item, list],
    queryFn: ({ pageParam, signal }) => read({ query: { cursor: pageParam, limit: 200 }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** The comments, oldest first. */
export const useComments = (place: Place) =>
  usePages<Comment>(place, 'comments', (asked) =>
    client.get('/boards/{boardId}/items/{itemId}/comments', { path: path(place), ...asked }),
  );

/** The changes, newest first. */
export const useActivity = (place: Place) =>
  usePages<Change>(place, 'activity', (asked) =>
    client.get('/boards/{boardId}/items/{itemId}/activity', { path: path(place), ...asked }),
  );

/** Keeps both up to date by live events; returns how to read them again at once. */
export function useFreshItem({ board, item }: Place): () => Promise<void> {
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['item', board, item] });
  const ofItem = (event: { itemId: string }) => {
    if (event.itemId === item) outdate(cache, ['item', board, item]);
  };
  useLiveEvent('comment-added', ofItem);
  useLiveEvent('comment-changed', ofItem);
  useLiveEvent<{ boardId: string }>('board-changed', (event) => {
    if (event.boardId !== board) return;
    outdate(cache, ['item', board, item, 'activity']);
    // What waited to be made is there by now, perhaps.
    if (cache.getQueryState(['item', board, item, 'comments'])?.status === 'error')
      outdate(cache, ['item', board, item, 'comments']);
  });
  return again;
}

/**
 * A comment as displayed, with the state of its last unsent change; `passed` if it was changed elsewhere before an edit
 * arrived.
 */
export type Shown = Comment & { state?: 'waits' | 'refused' | 'passed' };

/** Comments with pending changes applied, and the pending changes that are already included. */
export function spoken(
  read: readonly Comment[],
  said: ReturnType<Box['saidOf']>,
): { comments: Shown[]; known: number[] } {
  const comments: Shown[] = [...read];
  const known: number[] = [];
  for (const { said: one, at, isSent, problem } of said) {
    const index = comments.findIndex(({ id }) => id === one.comment);
    const held = comments[index];
    const isKnown =
      held !== undefined && (held.deleted || one.way === 'add' || (one.way === 'edit' && held.revision > one.revision));
    if (isSent && isKnown) known.push(at);
    // The other's text is shown, to decide by; the next edit is made of that.
    if (isKnown && problem && one.way === 'edit' && !held.deleted)
      comments[index] = { ...held, revision: held.revision + 1, state: 'passed' };
    if (isKnown || (!held && one.way !== 'add')) continue;
    const state = problem ? ({ state: 'refused' } as const) : isSent ? {} : ({ state: 'waits' } as const);
    if (!held)
      comments.push({
        id: one.comment,
        author: { kind: 'owner', name: 'Owner' },
        text: one.text,
        deleted: false,
        own: true,
        createdAt: new Date(at).toISOString(),
        revision: 1,
        ...state,
      });
    else if (one.way === 'delete') comments[index] = { ...held, deleted: true, text: '', ...state };
    else comments[index] = { ...held, text: one.text, revision: one.revision + 1, ...state };
  }
  return { comments, known };
}

/** Takes a change of an item back. */
export const undoChange = (boardId: string, changeId: string, told: string) =>
  did(
    boardId,
    told,
    client.post('/boards/{boardId}/undo', { path: { boardId }, body: { changeId } }) as Promise<Schemas['Undone']>,
  );
