/** What was archived or deleted: shapes, queries, and the requests that bring it back or delete it for good. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '@shell/api';
import type { Actor } from './discussion';

/** Where something was put away. */
export type Place = 'trash' | 'archive';

/** Something put away. */
export interface TrashEntry {
  kind: 'item' | 'group' | 'column' | 'board';
  id: string;
  name: string;
  /** Items that went along with it. */
  itemCount: number;
  at: string;
  actor?: Actor;
  /** From when on it cannot be brought back. */
  deletedAt?: string;
}

interface Page {
  items: (Omit<TrashEntry, 'kind'> & { kind?: TrashEntry['kind'] })[];
  nextCursor: string | null;
}

/** What was put away from a board, or the boards of a workspace that were; index.tsx says by what they become old. */
export function useTrash(of: { board: string } | { workspace: string | undefined }, place: Place, search: string) {
  const cache = useQueryClient();
  const again = () => void cache.invalidateQueries({ queryKey: ['trash'] });
  const query = useInfiniteQuery({
    queryKey: ['trash', of, place, search],
    enabled: 'board' in of || of.workspace !== undefined,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page) => page.nextCursor ?? undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { place, search: search || undefined, cursor: pageParam };
      return 'board' in of ? api.get<Page>(`/boards/${of.board}/trash`, { signal, query }) : api.get<Page>('/boards/trash', { signal, query: { ...query, workspaceId: of.workspace } });
    },
  });
  const entries = query.data?.pages.flatMap((page) => page.items).map((entry): TrashEntry => ({ ...entry, kind: entry.kind ?? 'board' }));
  return { ...query, entries, again };
}

/** Puts away and brings back. */
export const keep = {
  restoreBoard: (board: string) => api.post(`/boards/${board}/restore`, {}),
  archiveBoard: (board: string) => api.post(`/boards/${board}/archive`, {}),
  restoreColumn: (board: string, column: string) => api.post(`/boards/${board}/columns/${column}/restore`, {}),
  /** `board` is the one that the entry belongs to; a board is its own. */
  restore: (board: string, entry: TrashEntry) => api.post(entry.kind === 'board' ? `/boards/${entry.id}/restore` : `/boards/${board}/${entry.kind}s/${entry.id}/restore`, {}),
  deleteForGood: (board: string, entry: TrashEntry) => api.delete(entry.kind === 'board' ? `/boards/trash/${entry.id}` : `/boards/${board}/trash/${entry.kind}/${entry.id}`),
};
