/**
 * The workspace's boards below "Project boards". Every cell edit sends a board event, so the list is reloaded only for
 * an unknown or removed board; a board's name is read from that board alone.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { client } from '@shell/client';
import { onEvent } from '@shell/live';
import { outdate } from '@shell/query';
import { useBoards, type Board } from './data';

/** Boards shown below the navigation entry; the page lists them all. */
const SHOWN_MAX = 12;

const nameKey = (id: string) => ['board-name', id] as const;

/** Updates the open board's name in the sidebar. */
export function useNameShown(board: Pick<Board, 'id' | 'name'> | undefined) {
  const cache = useQueryClient();
  const { id, name } = board ?? {};
  useEffect(() => {
    if (id !== undefined) cache.setQueryData(nameKey(id), name);
  }, [cache, id, name]);
}

export function BoardLinks() {
  const { data: boards } = useBoards('board-links');
  useNewBoards(boards);
  if (!boards?.length) return null;
  return (
    <ul className="nav-list" aria-label="Boards">
      {boards.slice(0, SHOWN_MAX).map((board) => (
        <li key={board.id}>
          <BoardLink board={board} />
        </li>
      ))}
      {boards.length > SHOWN_MAX && (
        <li>
          <Link href="/boards" className="nav-link">
            <span className="nav-label">{boards.length - SHOWN_MAX} more</span>
          </Link>
        </li>
      )}
    </ul>
  );
}

function BoardLink({ board: { id, name } }: { board: Board }) {
  const [location] = useLocation();
  const isOpen = location === `/boards/${id}`;
  const { data } = useQuery({
    queryKey: nameKey(id),
    initialData: name,
    staleTime: Infinity,
    // The page of the board says it by itself.
    enabled: !isOpen,
    queryFn: ({ signal }) =>
      client.get('/boards/{boardId}', { path: { boardId: id }, signal }).then((board) => board.name),
  });
  return (
    <Link href={`/boards/${id}`} className="nav-link" aria-current={isOpen ? 'page' : undefined}>
      <span className="nav-label">{data}</span>
    </Link>
  );
}

/** Reloads the list once for each event of an unknown board. */
function useNewBoards(boards: readonly Board[] | undefined) {
  const cache = useQueryClient();
  const known = useRef(boards);
  useEffect(() => {
    known.current = boards;
  });
  useEffect(() => {
    const strange = new Set<string>();
    const stops = [
      onEvent<{ boardId: string }>('board-changed', ({ boardId }) => {
        if (strange.has(boardId) || known.current?.some(({ id }) => id === boardId)) return;
        strange.add(boardId);
        outdate(cache, ['board-links']);
      }),
      // It may come back.
      onEvent<{ boardId: string }>('board-deleted', ({ boardId }) => void strange.delete(boardId)),
    ];
    // What was said while the navigation was folded was not heard.
    if (known.current) outdate(cache, ['board-links']);
    return () => stops.forEach((stop) => stop());
  }, [cache]);
}
