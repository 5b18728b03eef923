/** A board that is open: read once, then followed change by change, with what is on its way to the program above it. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, request } from '@shell/api';
import { useLiveEvent } from '@shell/live';
import { isLink } from './links';
import { look } from './offers';
import { useOutbox } from './outbox/useOutbox';
import { BoardTable, type Changed } from './table';

const ARROW = 'application/vnd.apache.arrow.stream';
/** What has changed is asked for at once, and then at most this often. */
const FOLLOW_MS = 100;
/** The same for a whole board, where only what its cells link to has changed. */
const RELINK_MS = 1_000;

interface Loaded {
  table: BoardTable;
  etag: string | null;
}

/** The board, its edits, and what to do to change it. */
export function useBoard(id: string) {
  const cache = useQueryClient();
  const [table, setTable] = useState<BoardTable>();
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
      return { table: BoardTable.read(response.body), etag: response.headers.get('ETag') };
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

  const following = useRef({ running: false, again: false });
  const follow = useCallback(async () => {
    const state = following.current;
    state.again = true;
    if (state.running) return;
    state.running = true;
    while (state.again) {
      state.again = false;
      const held = newest.current;
      if (held?.meta.board.id !== id) break;
      try {
        const changed = await api.get<Changed>(`/boards/${id}/changed?since=${held.meta.board.revision}`);
        const latest = newest.current;
        if (latest?.meta.board.id !== id) break;
        // What was edited here meanwhile stays: the newest table is patched, unless it was read anew.
        const same = latest.meta.board.revision === held.meta.board.revision;
        const next = same ? latest.patched(changed) : latest;
        if (next && same) {
          put(next);
          followed.current = next;
          // Whoever comes back to the board finds it as it was left; the tag was of what was read.
          cache.setQueryData<Loaded>(['board', id], { table: next, etag: null });
        }
        if (!next) await cache.invalidateQueries({ queryKey: ['board', id] });
        if ((newest.current?.meta.board.revision ?? 0) < changed.board.revision) state.again = true;
      } catch {
        // The next change, or the connection's return, asks again.
        await cache.invalidateQueries({ queryKey: ['board', id] });
      }
      await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
    }
    state.running = false;
  }, [cache, id, put]);
  /** The board's revision as it was told while the board was on its way. */
  const heard = useRef(0);
  useEffect(() => {
    // What follows a board that was left has no part in this one.
    following.current = { running: false, again: false };
    heard.current = 0;
    // What is kept of a board was not followed while the page was elsewhere, be it on another board.
    if (cache.getQueryData(['board', id])) void follow();
  }, [cache, id, follow]);
  // A board that cells link to may change often; what is shown of it is read anew at once, and then at most this often.
  const relinking = useRef<{ timer: ReturnType<typeof setTimeout> | null; again: boolean }>({ timer: null, again: false });
  const relink = useCallback(() => {
    const state = relinking.current;
    state.again = state.timer !== null;
    if (state.timer) return;
    void cache.invalidateQueries({ queryKey: ['board', id] });
    state.timer = setTimeout(() => {
      state.timer = null;
      if (state.again) relink();
    }, RELINK_MS);
  }, [cache, id]);
  useEffect(() => {
    const state = relinking.current;
    return () => {
      if (state.timer) clearTimeout(state.timer);
      state.timer = null;
    };
  }, [id]);
  // What was read may be older than what was heard of the board meanwhile.
  const isHere = table?.meta.board.id === id;
  useEffect(() => {
    const meta = newest.current?.meta;
    if (!isHere || !meta) return;
    if (heard.current > meta.board.revision) void follow();
    else if (heard.current === meta.board.revision && meta.columns.some(isLink)) relink();
  }, [isHere, follow, relink]);
  useLiveEvent<{ boardId: string; revision: number }>('board-changed', (event) => {
    if (event.boardId !== id) return;
    if (newest.current?.meta.board.id !== id) {
      heard.current = event.revision;
      return;
    }
    const { board, columns } = newest.current.meta;
    if (event.revision > board.revision) void follow();
    // A board that cells link to has changed, which leaves this one's revision as it is.
    else if (event.revision === board.revision && columns.some(isLink)) relink();
  });

  const outbox = useOutbox(id, table, follow);
  const { shown } = outbox;
  const view = useMemo(() => table?.with(shown), [table, shown]);
  useEffect(() => look(view ?? null), [view]);
  useEffect(() => () => look(null), []);
  return { ...query, table: view, follow, outbox };
}
