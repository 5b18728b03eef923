/** That formulas of a board are being computed again, and how far that is: at the heads of their columns and in their cells. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, type ReactNode } from 'react';
import { client, type Schemas } from '@shell/client';
import type { Column } from '../data';
import type { BoardTable } from '../table';
import './formula.css';

/** How many items are done. */
type Progress = Schemas['FormulasComputing'];

/** Changes with at least this many items may be part of a computation; manual edits are smaller. */
const MANY = 50;
/** Delay before checking again, in case an event is missed. */
const AGAIN_MS = 1_000;

/** Not below the query of boards, which is asked again whenever any of them changes. */
const COMPUTING_QUERY = 'boards-computing';

const Computing = createContext<Progress | null>(null);

/** Follows how far the formulas of a board are, for everything within. */
export function FollowComputing({ table, children }: { table: BoardTable; children: ReactNode }) {
  const { board, columns } = table.meta;
  const cache = useQueryClient();
  const isAsked = columns.some(({ type }) => type === 'formula');
  const { data } = useQuery({
    queryKey: [COMPUTING_QUERY, board.id],
    enabled: isAsked,
    staleTime: 0,
    queryFn: ({ signal }) =>
      client
        .get('/boards/{boardId}/formulas', { path: { boardId: board.id }, signal })
        .then(({ computing }) => computing ?? null),
    refetchInterval: ({ state }) => (state.data ? AGAIN_MS : false),
  });
  // Computing begins with a change of columns or of many items, here or on a board that is counted, and goes on in pieces
  // that raise the revision where they change something. An edit of a cell is computed along with it, so nothing is asked then.
  const shape = JSON.stringify(columns.map(({ id, type, settings }) => [id, type, settings]));
  const seen = useRef({ id: board.id, revision: board.revision, shape });
  const { news } = table;
  useEffect(() => {
    const before = seen.current;
    seen.current = { id: board.id, revision: board.revision, shape };
    const isNew = before.id === board.id && before.revision !== board.revision;
    if (isAsked && isNew && (news >= MANY || before.shape !== shape))
      void cache.invalidateQueries({ queryKey: [COMPUTING_QUERY, board.id] });
  }, [cache, board.id, board.revision, shape, news, isAsked]);
  return <Computing.Provider value={(isAsked && data) || null}>{children}</Computing.Provider>;
}

/** Whether results may be missing because they are not computed yet. */
export const useIsComputing = (): boolean => useContext(Computing) !== null;

/** How far the column is, under its title; nothing where all is there. */
export function HeadProgress({ column }: { column: Column }) {
  const progress = useContext(Computing);
  if (!progress || column.type !== 'formula') return null;
  const { done, total } = progress;
  const words = `${done.toLocaleString()} of ${total.toLocaleString()}`;
  return (
    <span
      className="computing"
      role="progressbar"
      aria-label={`Computing ${column.title}`}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={`${words} items`}
      title={`Computing: ${words} items`}
    >
      <span className="computing-count">{words}</span>
      <span className="computing-bar" style={{ width: `${(100 * done) / Math.max(total, 1)}%` }} />
    </span>
  );
}
