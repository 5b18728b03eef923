/** What is said about an item and what happened to it: shapes, queries, and the requests that change something. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '@shell/api';
import { useLiveEvent } from '@shell/live';
import { outdate } from '@shell/query';
import type { CellValue } from './data';

/** Who wrote or changed something. */
export interface Actor {
  kind: string;
  name: string;
  sessionId?: string;
}

/** A comment on an item. */
export interface Comment {
  id: string;
  author: Actor;
  text: string;
  deleted: boolean;
  /** Whether it is the person's, who may then edit it. */
  own: boolean;
  createdAt: string;
  revision: number;
}

/** A change of an item. */
export interface Change {
  changeId: string;
  at: string;
  actor: Actor;
  /** `name`, `groupId`, `position`, `parentId`, a column's id, `comments/` and an id, or empty for the whole item. */
  field: string;
  before: CellValue | object;
  after: CellValue | object;
  undoable: boolean;
}

interface PageOf<T> {
  items: T[];
  nextCursor: string | null;
}

/** Where an item stands. */
export interface Place {
  board: string;
  item: string;
}

const path = ({ board, item }: Place, rest: string) => `/boards/${board}/items/${item}/${rest}`;

function usePages<T>(place: Place, list: 'comments' | 'activity') {
  return useInfiniteQuery({
    queryKey: ['item', place.board, place.item, list],
    queryFn: ({ pageParam, signal }) => api.get<PageOf<T>>(path(place, list), { query: { cursor: pageParam, limit: 200 }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** The comments, oldest first. */
export const useComments = (place: Place) => usePages<Comment>(place, 'comments');

/** The changes, newest first. */
export const useActivity = (place: Place) => usePages<Change>(place, 'activity');

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
  add: (place: Place, text: string) => api.post<Comment>(path(place, 'comments'), { text }),
  edit: (place: Place, comment: Comment, text: string) => api.patch<Comment>(path(place, `comments/${comment.id}`), { text }, { ifMatch: `"${comment.revision}"` }),
  delete: (place: Place, comment: string) => api.delete(path(place, `comments/${comment}`)),
  undo: (board: string, changeId: string) => api.post<{ changeId: string; itemId?: string; field: string; boardRevision: number }>(`/boards/${board}/undo`, { changeId }),
};
