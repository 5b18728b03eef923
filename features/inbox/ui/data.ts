/** The inbox: types, queries, and actions. */
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { ApiError } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { iconNames, toast, type IconName } from '@shell/components';
import { formatInstant } from '@shell/dates';
import { CHUNK_ROWS, layoutOf, type Chunk, type Group } from './layout';

/** A row of the inbox. Its texts come from agents and are shown as plain text. */
export type Row = Schemas['InboxRow'];
export type KindRecord = Schemas['KindRecord'];

/** The start of the inbox's query keys: one event invalidates all of them. */
export const INBOX = ['inbox'];

/** Which rows are listed: open ones, ones that a setting hides, snoozed ones, or ones dismissed in the last 30 days. */
export type Listed = 'open' | 'hidden' | 'snoozed' | 'dismissed';
export type GroupedBy = 'none' | 'hub' | 'board';

/** What narrows the list. */
export interface Filters {
  listed: Listed;
  q: string;
  kind: string;
  hub: string;
  severity: '' | Row['severity'];
  only: '' | 'unread' | 'needsYou';
  by: GroupedBy;
}

export const NO_FILTERS: Omit<Filters, 'listed' | 'by'> = { q: '', kind: '', hub: '', severity: '', only: '' };

/** The value of the hub filter for rows without one. */
export const NO_HUB = 'none';

/** The filters as the program reads them. */
export const queryOf = ({ listed, q, kind, hub, severity, only }: Filters) => ({
  state: listed === 'hidden' ? ('open' as const) : listed,
  ...(listed === 'hidden' ? { hidden: true } : {}),
  ...(q.trim() ? { q: q.trim() } : {}),
  ...(kind ? { kind } : {}),
  ...(hub ? { projectId: hub === NO_HUB ? '' : hub } : {}),
  ...(severity ? { severity } : {}),
  ...(only ? { [only]: true } : {}),
});

/** Which rows there are: their number by group. */
export const useGroups = (filters: Filters) =>
  useQuery({
    queryKey: [...INBOX, 'groups', filters],
    queryFn: ({ signal }) =>
      client
        .get('/inbox/groups', { query: { ...queryOf(filters), by: filters.by }, signal })
        .then(({ items }) => items),
    // Groups of another kind have no rows in common with these.
    placeholderData: (before: Group[] | undefined, query) =>
      (query?.queryKey[2] as Filters | undefined)?.by === filters.by ? before : undefined,
  });

const chunkQuery = (filters: Filters, { group, number }: Chunk) => ({
  ...queryOf(filters),
  ...(filters.by === 'hub' ? { projectId: group.id } : filters.by === 'board' ? { boardId: group.id } : {}),
  limit: CHUNK_ROWS,
  skip: number * CHUNK_ROWS,
});

/**
 * The rows on lines in view and near one row, by their position. Rows that were loaded once are at hand while they load
 * anew.
 */
export function useRows(filters: Filters, groups: readonly Group[], first: number, last: number, near: number) {
  const layout = useMemo(() => layoutOf(groups, filters.by !== 'none'), [groups, filters.by]);
  const nearLine = layout.lineOf(near);
  const inView = layout.chunks(first, last);
  const isSame = (a: Chunk) => (b: Chunk) => a.row === b.row;
  const chunks = [...inView, ...layout.chunks(nearLine, nearLine).filter((one) => !inView.some(isSame(one)))];
  const answers = useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: [...INBOX, 'rows', filters, chunk.group.id, chunk.number],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.get('/inbox', { query: chunkQuery(filters, chunk), signal }).then(({ items }) => items),
    })),
  });
  const loaded = chunks.flatMap(({ group, number, row }, at) => {
    // A list that became shorter may still have rows of before.
    const rows = answers[at]?.data?.slice(0, group.rows - number * CHUNK_ROWS);
    return rows ? [{ row, rows }] : [];
  });
  const rowAt = (at: number): Row | undefined => {
    const chunk = loaded.find(({ row, rows }) => at >= row && at < row + rows.length);
    return chunk?.rows[at - chunk.row];
  };
  /** The position of a loaded row, which may have moved; -1 if it isn't loaded. */
  const find = (id: string): number => {
    for (const { row, rows } of loaded) {
      const at = rows.findIndex((one) => one.id === id);
      if (at >= 0) return row + at;
    }
    return -1;
  };
  const error = answers.find((answer) => answer.error && !answer.data)?.error ?? null;
  const isLoading = answers.some((answer) => answer.isPending);
  return { layout, rowAt, find, error, isLoading };
}

/** Numbers of open, unread, waiting, and snoozed rows. */
export const useCount = () =>
  useQuery({ queryKey: [...INBOX, 'count'], queryFn: ({ signal }) => client.get('/inbox/count', { signal }) });

/** The names of all hubs or boards, by id. */
const useNames = (path: '/hubs' | '/boards', isWanted: boolean) =>
  useQuery({
    queryKey: [path.slice(1), 'names of the inbox'],
    enabled: isWanted,
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      let cursor: string | undefined;
      do {
        const page = await client.get(path, { signal, query: { cursor } });
        for (const { id, name } of page.items) names.set(id, name);
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      return names;
    },
  });

export const useHubNames = () => useNames('/hubs', true).data;
export const useBoardNames = (isWanted: boolean) => useNames('/boards', isWanted).data;

/** What can be undone: the last dismissal. */
type Undo = () => Promise<unknown>;

/** Actions on rows. Each shows its failures and reloads the rows. */
export function useRowActions() {
  const cache = useQueryClient();
  const lastUndo = useRef<Undo>(null);
  const then = async <T>(problem: string, request: Promise<T>): Promise<T | undefined> => {
    try {
      return await request;
    } catch (failure) {
      toast.problem(problem, failure);
      return undefined;
    } finally {
      await cache.invalidateQueries({ queryKey: INBOX });
    }
  };
  const path = (row: Row) => ({ path: { rowId: row.id } });
  const restore = (row: Row) => then("Couldn't restore row", client.post('/inbox/{rowId}/restore', path(row)));
  const undoable = (title: string, undo: Undo) => {
    const once = async () => {
      if (lastUndo.current === once) lastUndo.current = null;
      await undo();
    };
    lastUndo.current = once;
    toast.done(title, { undo: once, kind: 'inbox' });
  };
  const unsnooze = (row: Row) => then("Couldn't end snooze", client.post('/inbox/{rowId}/unsnooze', path(row)));
  return {
    setRead: (row: Row, read: boolean) =>
      read
        ? then("Couldn't mark row as read", client.post('/inbox/{rowId}/read', path(row)))
        : then("Couldn't mark row as unread", client.post('/inbox/{rowId}/unread', path(row))),
    /** Marks the rows seen so far as read: up to the newest row and the newest change. */
    readAll: (newest: Row, seenAt: string) =>
      then("Couldn't mark rows as read", client.post('/inbox/read', { body: { rowId: newest.id, seenAt } })),
    restore,
    unsnooze,
    /** Answers a session's request. A second answer gets an error. */
    answer: (row: Row, allow: boolean) =>
      row.sessionId && row.askId
        ? then(
            "Couldn't submit answer",
            client.post('/sessions/{sessionId}/asks/{askId}/answer', {
              path: { sessionId: row.sessionId, askId: row.askId },
              body: { allow, always: false },
            }),
          )
        : Promise.resolve(undefined),
    dismiss: async (row: Row) => {
      if (await then("Couldn't dismiss row", client.post('/inbox/{rowId}/dismiss', path(row)))) {
        undoable(`Dismissed ${row.title}`, () => restore(row));
      }
    },
    /** Dismisses these rows, or all that match the filters and were there at a time. */
    dismissAll: async (which: { rowIds: string[] } | { match: ReturnType<typeof queryOf>; seenAt: string }) => {
      const done = await then("Couldn't dismiss rows", client.post('/inbox/dismiss', { body: which }));
      if (!done) return;
      const { batchId, dismissed, waiting } = done;
      const left = waiting > 0 ? `; ${waiting.toLocaleString()} ${waiting === 1 ? 'needs' : 'need'} an answer` : '';
      const title = `Dismissed ${dismissed.toLocaleString()} ${dismissed === 1 ? 'row' : 'rows'}${left}`;
      if (batchId === null) toast.done(title);
      else undoable(title, () => then("Couldn't restore rows", client.post('/inbox/restore', { body: { batchId } })));
    },
    /** Snoozes a row. Rejects with the reason, for the dialog. */
    snooze: async (row: Row, until: string) => {
      const snoozed = await client.post('/inbox/{rowId}/snooze', { ...path(row), body: { until } });
      void cache.invalidateQueries({ queryKey: INBOX });
      undoable(`Snoozed until ${formatInstant(snoozed.snoozedUntil ?? '')}`, () => unsnooze(row));
    },
    /** Sets a reminder, or cancels it. Rejects with the reason, for the dialog. */
    followUp: async (row: Row, at?: string) => {
      const set = await client.post('/inbox/{rowId}/follow-up', { ...path(row), body: at === undefined ? {} : { at } });
      void cache.invalidateQueries({ queryKey: INBOX });
      toast.done(set.followUpAt ? `Reminder set for ${formatInstant(set.followUpAt)}` : 'Reminder canceled');
    },
    /** The hub in which a session about a row starts. Says why, if it's another one than expected. */
    startHub: async (row: Row) => {
      try {
        const hub = await client.get('/inbox/{rowId}/start-hub', path(row));
        if (hub.notice) toast.done(hub.notice, { detail: 'Another hub was chosen.' });
        return hub;
      } catch (failure) {
        toast.problem("Couldn't find a hub", failure);
        return undefined;
      }
    },
    /** Undoes the last dismissal or snooze, if there is one. */
    undo: () => {
      if (lastUndo.current) void lastUndo.current();
      else toast.done('Nothing to undo', { kind: 'inbox' });
    },
  };
}

export type RowActions = ReturnType<typeof useRowActions>;

/** Whether a row waits for an answer that nobody needs: its session no longer exists. */
export function useIsAbandoned(row: Row): boolean {
  const sessionId = row.waits ? row.sessionId : null;
  const { error } = useQuery({
    queryKey: [...INBOX, 'session', sessionId],
    queryFn: ({ signal }) => client.get('/sessions/{sessionId}', { path: { sessionId: sessionId ?? '' }, signal }),
    enabled: sessionId !== null,
    retry: false,
  });
  return error instanceof ApiError && error.status === 404;
}

/** The kinds of rows, as their features declare them. */
export const useKinds = () =>
  useQuery({
    queryKey: [...INBOX, 'kinds'],
    queryFn: ({ signal }) => client.get('/inbox/kinds', { signal }).then((answer) => answer.kinds),
  });

/** The label and icon of a row's kind. */
export function kindOf(row: Row, kinds: readonly KindRecord[] = []): { label: string; icon: IconName } {
  const kind = kinds.find(({ name }) => name === row.kind);
  return { label: kind?.label ?? row.kind, icon: iconNames.find((name) => name === kind?.icon) ?? 'bell' };
}

/** Whether a row can be allowed or denied by one key. Other requests are answered in their card. */
export const isYesOrNo = (row: Row) =>
  row.waits && row.askId !== null && row.sessionId !== null && (row.kind === 'approval' || row.kind === 'plan');

/** The creator of a row, in words. */
export function maker({ by }: Row): string {
  if (by.sessionId) return 'A session';
  const kinds: Record<string, string> = { owner: 'You', cli: 'Your script', agent: 'An agent', member: 'A member' };
  return kinds[by.kind] ?? 'Pilothouse';
}

/** The target of a row's link: a page of Pilothouse, or another site with its name. */
export function target(link: string): { page: string } | { site: string } | null {
  if (link.startsWith('/app/')) return { page: link.slice('/app'.length) };
  try {
    const address = new URL(link);
    return ['http:', 'https:'].includes(address.protocol) ? { site: address.host } : null;
  } catch {
    return null;
  }
}
