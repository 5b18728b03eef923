/** Archive and Trash: types, queries, and requests. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import type { Actor } from './discussion';

/** Trash or Archive. */
export type Place = Schemas['Place'];

/** A deleted or archived entry. */
export type TrashEntry = Pick<Schemas['TrashEntry'], 'id' | 'name' | 'itemCount' | 'at' | 'deletedAt'> & {
  kind: 'item' | 'group' | 'column' | 'board';
  actor?: Actor;
};

interface Page {
  items: TrashEntry[];
  nextCursor?: string | null;
}

/** Deleted or archived parts of a board, or boards of a workspace; index.tsx invalidates the query. */
export function useTrash(of: { board: string } | { workspace: string | undefined }, place: Place, search: string) {
  const cache = useQueryClient();
  const again = () => void cache.invalidateQueries({ queryKey: ['trash'] });
  const query = useInfiniteQuery({
    queryKey: ['trash', of, place, search],
    enabled: 'board' in of || of.workspace !== undefined,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page) => page.nextCursor ?? undefined,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const query = { place, search: search || undefined, cursor: pageParam };
      if ('board' in of) {
        const { items, nextCursor } = await client.get('/boards/{boardId}/trash', {
          path: { boardId: of.board },
          signal,
          query,
        });
        return { items: items as TrashEntry[], nextCursor };
      }
      const { items, nextCursor } = await client.get('/boards/trash', {
        signal,
        query: { ...query, workspaceId: of.workspace },
      });
      return { items: items.map((board) => ({ ...board, kind: 'board' })), nextCursor };
    },
  });
  const entries = query.data?.pages.flatMap((page) => page.items);
  return { ...query, entries, again };
}

const restoreBoard = (boardId: string) => client.post('/boards/{boardId}/restore', { path: { boardId } });

/** Puts away and brings back. */
export const keep = {
  restoreBoard,
  archiveBoard: (boardId: string) => client.post('/boards/{boardId}/archive', { path: { boardId } }),
  /** `board` is the one that the entry belongs to; a board is its own. */
  restore: (boardId: string, { kind, id }: TrashEntry): Promise<unknown> => {
    switch (kind) {
      case 'board':
        return restoreBoard(id);
      case 'column':
        return client.post('/boards/{boardId}/columns/{columnId}/restore', { path: { boardId, columnId: id } });
      case 'group':
        return client.post('/boards/{boardId}/groups/{groupId}/restore', { path: { boardId, groupId: id } });
      case 'item':
        return client.post('/boards/{boardId}/items/{itemId}/restore', { path: { boardId, itemId: id } });
    }
  },
  deleteForGood: (boardId: string, { kind, id }: TrashEntry) =>
    kind === 'board'
      ? client.delete('/boards/trash/{boardId}', { path: { boardId: id } })
      : client.delete('/boards/{boardId}/trash/{kind}/{entryId}', { path: { boardId, kind, entryId: id } }),
};
