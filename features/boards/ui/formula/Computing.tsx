/** That formulas of a large board are being computed again, and how far that is: at the heads of their columns and in their cells. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, type ReactNode } from 'react';
import { api } from '@shell/api';
import type { Column } from '../data';
import { subitemCount } from '../subitems';
import type { BoardTable } from '../table';
import './formula.css';

/** How many items are done. */
interface Progress {
  done: number;
  total: number;
}

/** As many items have their results together with the change that asked for them. */
const COMPUTED_AT_ONCE = 2_000;
/** Asked again after this, should what the program tells be missed. */
const AGAIN_MS = 1_000;

const Computing = createContext<Progress | null>(null);

/** Follows how far the formulas of a board are, for everything within. */
export function FollowComputing({ table, children }: { table: BoardTable; children: ReactNode }) {
  const { board, columns } = table.meta;
  const cache = useQueryClient();
  const isAsked = columns.some(({ type }) => type === 'formula') && table.count + subitemCount(table) > COMPUTED_AT_ONCE;
  const { data } = useQuery({
    queryKey: ['boards', 'formulas', board.id],
    enabled: isAsked,
    queryFn: ({ signal }) => api.get<{ computing?: Progress | null }>(`/boards/${board.id}/formulas`, { signal }).then(({ computing }) => computing ?? null),
    refetchInterval: ({ state }) => (state.data ? AGAIN_MS : false),
  });
  // Every piece that changes something raises the board's revision.
  useEffect(() => {
    if (isAsked) void cache.invalidateQueries({ queryKey: ['boards', 'formulas', board.id] }, { cancelRefetch: false });
  }, [cache, board.id, board.revision, isAsked]);
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
    <span className="computing" role="progressbar" aria-label={`Computing ${column.title}`} aria-valuemin={0} aria-valuemax={total} aria-valuenow={done} aria-valuetext={`${words} items`} title={`Computing: ${words} items`}>
      <span className="computing-count">{words}</span>
      <span className="computing-bar" style={{ width: `${(100 * done) / Math.max(total, 1)}%` }} />
    </span>
  );
}
