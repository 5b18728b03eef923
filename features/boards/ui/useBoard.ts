/** An open board: read once, then updated by changes, with unsaved edits on top. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { request } from '@shell/api';
import { client } from '@shell/client';
import { useLiveEvent } from '@shell/live';
import { isLink } from './links';
import { look } from './offers';
import { boxOf } from './outbox/box';
import type { Changes } from './outbox/send';
import { useOutbox } from './outbox/useOutbox';
import type { CellValue } from './data';
import { heldIn } from './offers';
import { BoardTable, marksOf, type Changed } from './table';

const ARROW = 'application/vnd.apache.arrow.stream';
/** Changes are loaded immediately, but in a stream of events at most this often. */
const FOLLOW_MS = 100;
/** but for so much that a few changes behind one another are not waited for. */
const FOLLOW_AHEAD_MS = 300;
/** Time slice for preparing the first change of a board, so that frames are rendered in between. */
const PREPARE_MS = 30;
/** Delay before showing postponed updates. */
const SHOWN_MS = 0;

/** Whether an event means a change. Events of linked boards do, although this board's revision stays the same. */
const isNews = (revision: number, { board, columns }: BoardTable['meta']) =>
  revision > board.revision || (revision === board.revision && columns.some(isLink));

/**
 * State of loading changes: whether a request is running, whether another follows, its waiters, and when a stream of
 * events would end.
 */
const notFollowing = () => ({ running: false, again: false, waiting: [] as (() => void)[], until: 0 });

interface Loaded {
  table: BoardTable;
  etag: string | null;
}

/** The board, its edits, and the functions that change it. */
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
      const response = await request('GET', `/boards/${id}/full`, {
        signal,
        headers: { Accept: ARROW },
        ...(held?.etag ? { ifNoneMatch: held.etag } : {}),
      });
      if (response.status === 304 && held) return held;
      return { table: BoardTable.read(response.body), etag: response.headers.get('ETag') };
    },
  });
  /** The board as it is held now. */
  const holds = useCallback(() => {
    const held = newest.current;
    return held?.meta.board.id === id ? held : undefined;
  }, [id]);
  /** Puts what has changed in its place. Whether that is all: it is not where the board was put there anew meanwhile. */
  const take = useCallback(
    async ({ since, changed }: Changes): Promise<boolean> => {
      if (holds() !== since) return false;
      const next = since.patched(changed);
      if (next) {
        put(next);
        followed.current = next;
        // Whoever comes back to the board finds it as it was left; the tag was of what was read.
        cache.setQueryData<Loaded>(['board', id], { table: next, etag: null });
      } else await cache.invalidateQueries({ queryKey: ['board', id] });
      return (newest.current?.meta.board.revision ?? 0) >= changed.board.revision;
    },
    [cache, id, put, holds],
  );
  const following = useRef(notFollowing());
  const read = useCallback(async () => {
    const state = following.current;
    state.running = true;
    let told: (() => void)[] = [];
    while (state.again) {
      state.again = false;
      told = state.waiting.splice(0);
      const since = holds();
      if (!since) break;
      try {
        const changed = (await client.get('/boards/{boardId}/changed', {
          path: { boardId: id },
          query: { since: since.meta.board.revision, linked: marksOf(since) },
        })) as Changed;
        const isAll = await take({ since, changed });
        if (!holds()) break;
        if (!isAll) {
          state.again = true;
          state.waiting.push(...told.splice(0));
        }
      } catch {
        // The next change, or the connection's return, asks again.
        await cache.invalidateQueries({ queryKey: ['board', id] });
      }
      const now = performance.now();
      state.until = Math.max(state.until, now) + FOLLOW_MS;
      await new Promise((resolve) => setTimeout(resolve, Math.max(SHOWN_MS, state.until - now - FOLLOW_AHEAD_MS)));
      // By now it is shown as well.
      for (const tell of told) tell();
    }
    state.running = false;
    // The board was left: there is nothing to wait for.
    for (const tell of [...told, ...state.waiting.splice(0)]) tell();
  }, [cache, id, holds, take]);
  /** Asks for what has changed; over once what had changed by now is there, also where another reading is under way. */
  const follow = useCallback((): Promise<void> => {
    const state = following.current;
    state.again = true;
    const told = new Promise<void>((resolve) => state.waiting.push(resolve));
    if (!state.running) void read();
    return told;
  }, [read]);
  useEffect(() => {
    const [held, read] = [newest.current?.meta.board, query.data?.table.meta.board];
    if (read?.id !== id) put(undefined);
    // What following has put aside is here already, perhaps with edits settled since.
    else if (held?.id === id && query.data?.table === followed.current) return;
    // A read that was under way when something newer arrived is not taken.
    else if (held?.id !== id || held.revision <= read.revision) {
      put(query.data?.table);
      // What was heard of linked boards meanwhile went to the table before.
      if (held?.id === id && query.data?.table.meta.linkedAt) void follow();
    }
  }, [query.data, id, put, follow]);

  /** The board's revision as it was told while the board was on its way. */
  const heard = useRef(0);
  /** Something was heard while a step was on its way that its answer may not bring. */
  const isLate = useRef(false);
  useEffect(() => {
    // What follows a board that was left has no part in this one.
    following.current = notFollowing();
    heard.current = 0;
    isLate.current = false;
    // What is kept of a board was not followed while the page was elsewhere, be it on another board.
    if (cache.getQueryData(['board', id])) void follow();
  }, [cache, id, follow]);
  // The first change of a large board is not to wait for what can be made before.
  const bytes = table?.bytes;
  useEffect(() => {
    const prepare = () => {
      if (newest.current?.bytes === bytes && newest.current?.prepare() === false)
        turn = setTimeout(prepare, PREPARE_MS);
    };
    let turn = setTimeout(prepare, PREPARE_MS);
    return () => clearTimeout(turn);
  }, [bytes]);
  // What was read may be older than what was heard of the board meanwhile.
  const isHere = table?.meta.board.id === id;
  useEffect(() => {
    const meta = newest.current?.meta;
    if (!isHere || !meta) return;
    if (isNews(heard.current, meta)) void follow();
  }, [isHere, follow]);
  useLiveEvent<{ boardId: string; revision: number }>('board-changed', (event) => {
    if (event.boardId !== id) return;
    if (newest.current?.meta.board.id !== id) {
      heard.current = event.revision;
      return;
    }
    if (!isNews(event.revision, newest.current.meta)) return;
    if (!boxOf(id).isSending) return void follow();
    // The answer brings what it changes: only what is not in it is asked for.
    heard.current = Math.max(heard.current, event.revision);
    isLate.current ||= event.revision === newest.current.meta.board.revision;
  });
  const settled = useCallback(
    (changes?: Changes) => {
      const check = (isAll: boolean) => {
        const held = holds();
        if (!held) return;
        if (!isAll || isLate.current || heard.current > held.meta.board.revision) void follow();
        isLate.current = false;
      };
      if (changes) void take(changes).then(check);
      else check(true);
    },
    [holds, take, follow],
  );

  const outbox = useOutbox(id, table, { holds, follow, settled });
  const { shown } = outbox;
  const view = useMemo(() => table?.with(shown), [table, shown]);
  useEffect(() => look(view ?? null), [view]);
  useEffect(() => () => look(null), []);
  /** What the program holds of a cell, as far as the page has heard: without what is still on its way from here. */
  const heldThere = useCallback(
    (item: string, column: string) =>
      table?.row(item) === undefined ? undefined : (heldIn(table, item, column) as CellValue),
    [table],
  );
  return { ...query, table: view, heldThere, follow, outbox };
}
