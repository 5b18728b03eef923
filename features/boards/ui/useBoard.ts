/** A board that is open: read once, then followed change by change, with the edits that are made here above it. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, ApiError, reasonOf, request } from '@shell/api';
import { toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';
import { clashOf, type Clash } from './Conflict';
import { change, type CellValue } from './data';
import { BoardTable, type Changed } from './table';
import { useWaiting } from './useWaiting';

const ARROW = 'application/vnd.apache.arrow.stream';
/** What has changed is asked for at once, and then at most this often. */
const FOLLOW_MS = 100;

interface Loaded {
  table: BoardTable;
  etag: string | null;
}

/** The board, its edits, and what to do to change it. */
export function useBoard(id: string) {
  const cache = useQueryClient();
  const [table, setTable] = useState<BoardTable>();
  const [clashes, setClashes] = useState<Clash[]>([]);
  const newest = useRef<BoardTable>(undefined);
  const followed = useRef<BoardTable>(undefined);
  const put = useCallback((next: BoardTable | undefined) => {
    newest.current = next;
    setTable(next);
  }, []);
  const query = useQuery({
    queryKey: ['board', id],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Loaded> => {
      const held = cache.getQueryData<Loaded>(['board', id]);
      const response = await request('GET', `/boards/${id}/full`, { signal, headers: { Accept: ARROW }, ...(held?.etag ? { ifNoneMatch: held.etag } : {}) });
      if (response.status === 304 && held) return held;
      return { table: BoardTable.read(await response.arrayBuffer(), newest.current), etag: response.headers.get('ETag') };
    },
  });
  useEffect(() => {
    const [held, read] = [newest.current?.meta.board, query.data?.table.meta.board];
    if (read?.id !== id) put(undefined);
    // What following has put aside is here already, perhaps with edits settled since.
    else if (held?.id === id && query.data?.table === followed.current) return;
    // A read that was under way when something newer arrived is not taken.
    else if (held?.id !== id || held.revision <= read.revision) put(query.data?.table);
  }, [query.data, id, put]);

  const following = useRef<{ running: boolean; again: boolean }>({ running: false, again: false });
  const follow = useCallback(async () => {
    const state = following.current;
    state.again = true;
    if (state.running) return;
    state.running = true;
    try {
      while (state.again) {
        state.again = false;
        const held = newest.current;
        if (held?.meta.board.id !== id) break;
        const changed = await api.get<Changed>(`/boards/${id}/changed?since=${held.meta.board.revision}`);
        // What was edited here meanwhile stays: the newest table is patched, unless it was read anew.
        const latest = newest.current;
        const same = latest?.meta.board.revision === held.meta.board.revision;
        const next = same ? latest.patched(changed) : latest;
        if (next && same) {
          put(next);
          followed.current = next;
          // Whoever comes back to the board finds it as it was left; the tag was of what was read.
          cache.setQueryData<Loaded>(['board', id], { table: next, etag: null });
        }
        if (!next) await cache.invalidateQueries({ queryKey: ['board', id] });
        if ((newest.current?.meta.board.revision ?? 0) < changed.board.revision) state.again = true;
        await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
      }
    } catch {
      // The next change, or the connection's return, asks again.
      await cache.invalidateQueries({ queryKey: ['board', id] });
    } finally {
      state.running = false;
    }
  }, [cache, id, put]);
  // What is kept of a board was not followed while the page was elsewhere.
  const isKept = useRef(query.data !== undefined);
  useEffect(() => {
    if (isKept.current) void follow();
  }, [follow]);
  useLiveEvent<{ boardId: string; revision: number }>('board-changed', (event) => {
    if (event.boardId !== id || !newest.current) return;
    const { board, linked } = newest.current.meta;
    if (event.revision > board.revision) void follow();
    // A board that cells link to has changed, which leaves this one's revision as it is.
    else if (event.revision === board.revision && linked) void cache.invalidateQueries({ queryKey: ['board', id] });
  });

  const waiting = useWaiting(
    id,
    table?.meta.board.id === id,
    useMemo(
      () => ({
        show: (item: string, column: string, value: CellValue, revision: number) => put(newest.current?.edited(item, column, value, revision)),
        drop: (item: string, column: string) => put(newest.current?.reverted(item, column)),
      }),
      [put],
    ),
  );
  const { add: wait, edits: waits } = waiting;
  const edit = useCallback(
    async (item: string, column: string, value: CellValue, was?: CellValue) => {
      const held = newest.current;
      const row = held?.row(item);
      const seen = held && row !== undefined ? { was: was === undefined ? held.cell(row, column) : was, revision: held.meta.board.revision, name: String(held.cell(row, 'name') ?? '') } : null;
      put(held?.edited(item, column, value, 0));
      // What waits goes first.
      if (seen && waits.length > 0) {
        wait({ item, column, value, ...seen });
        return;
      }
      try {
        const saved = await (column === 'name' ? change.rename(id, item, String(value ?? ''), was === undefined ? {} : { was }) : change.cell(id, item, column, value, was === undefined ? {} : { was }));
        const kept = column === 'name' ? saved.name : (saved.cells[column] ?? null);
        put(newest.current?.edited(item, column, kept, saved.boardRevision));
      } catch (failure) {
        if (seen && failure instanceof ApiError && failure.status === 0) {
          wait({ item, column, value, ...seen });
          return;
        }
        put(newest.current?.reverted(item, column));
        const clash = clashOf(failure, item, column, value);
        if (clash) {
          setClashes((before) => [...before, clash]);
          void follow();
          return;
        }
        const reason = failure instanceof ApiError ? failure.reasonAt('/value') : reasonOf(failure);
        toast.problem('The cell was not saved', new Error(reason));
      }
    },
    [id, put, follow, wait, waits],
  );
  /** Decides about the first of the values that met another's. */
  const settle = (keep: 'mine' | 'theirs') => {
    const [clash, ...rest] = clashes;
    setClashes(rest);
    if (clash && keep === 'mine') void edit(clash.item, clash.column, clash.mine, clash.theirs);
  };
  return { ...query, table, edit, follow, waiting, clash: clashes[0], settle };
}
