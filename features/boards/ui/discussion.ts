/** What is said about an item and what happened to it: shapes, queries, and the requests that change something. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { useLiveEvent } from '@shell/live';
import { outdate } from '@shell/query';
import type { CellValue } from './data';
import { did } from './outbox/did';

/** Who wrote or changed something. */
export type Actor = Schemas['ActivityActor'];

/** A comment on an item, as far as it is shown. */
export type Comment = Pick<Schemas['CommentRecord'], 'id' | 'author' | 'text' | 'deleted' | 'own' | 'createdAt' | 'revision'>;

/** A change of an item; a value is a cell's, or what tells of the whole item. */
export type Change = Omit<Schemas['ActivityEntry'], 'before' | 'after'> & { before: CellValue | object; after: CellValue | object };

/** Where an item stands. */
export interface Place {
  board: string;
  item: string;
}

const path = ({ board, item }: Place) => ({ boardId: board, itemId: item });

interface PageOf<T> {
  items: T[];
  nextCursor?: string | null;
}

function usePages<T>(place: Place, list: 'comments' | 'activity', read: (asked: { query: { cursor: string | null; limit: number }; signal: AbortSignal }) => Promise<PageOf<T>>) {
  return useInfiniteQuery({
    queryKey: ['item', place.board, place.item, list],
    queryFn: ({ pageParam, signal }) => read({ query: { cursor: pageParam, limit: 200 }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** The comments, oldest first. */
export const useComments = (place: Place) => usePages<Comment>(place, 'comments', (asked) => client.get('/boards/{boardId}/items/{itemId}/comments', { path: path(place), ...asked }));

/** The changes, newest first. */
export const useActivity = (place: Place) => usePages<Change>(place, 'activity', (asked) => client.get('/boards/{boardId}/items/{itemId}/activity', { path: path(place), ...asked }));

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
    if (event.boardId === board) outdate(cache, ['item', board, item, 'activity']);
  });
  return again;
}

/** Changes that the panel asks for. */
export const discuss = {
  add: (place: Place, text: string) => client.post('/boards/{boardId}/items/{itemId}/comments', { path: path(place), body: { text } }),
  edit: (place: Place, { id, revision }: Comment, text: string) =>
    client.patch('/boards/{boardId}/items/{itemId}/comments/{commentId}', { path: { ...path(place), commentId: id }, body: { text }, ifMatch: `"${revision}"` }),
  delete: (place: Place, commentId: string) => client.delete('/boards/{boardId}/items/{itemId}/comments/{commentId}', { path: { ...path(place), commentId } }),
  undo: (boardId: string, changeId: string) => did(boardId, client.post('/boards/{boardId}/undo', { path: { boardId }, body: { changeId } }) as Promise<Schemas['Undone']>),
};
