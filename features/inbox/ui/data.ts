/** The inbox: types, queries, and actions. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { iconNames, toast, type IconName } from '@shell/components';

/** A row of the inbox. Its texts come from agents and are shown as plain text. */
export type Row = Schemas['InboxRow'];

/** The start of the inbox's query keys: one event invalidates all of them. */
export const INBOX = ['inbox'];

/** Which rows are listed: open ones, ones that a setting hides, or ones dismissed in the last 30 days. */
export type Listed = 'open' | 'hidden' | 'dismissed';

/** The listed rows. */
export const useRows = (listed: Listed) =>
  useInfiniteQuery({
    queryKey: [...INBOX, 'rows', listed],
    queryFn: ({ pageParam, signal }) =>
      client.get('/inbox', {
        query: {
          state: listed === 'dismissed' ? 'dismissed' : 'open',
          ...(listed === 'hidden' ? { hidden: true } : {}),
          ...(pageParam ? { cursor: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** Numbers of open, unread, and waiting rows. */
export const useCount = () =>
  useQuery({ queryKey: [...INBOX, 'count'], queryFn: ({ signal }) => client.get('/inbox/count', { signal }) });

/** Actions on rows. Each shows its failures and reloads the rows. */
export function useRowActions() {
  const cache = useQueryClient();
  const then = async (problem: string, request: Promise<unknown>) => {
    try {
      await request;
      return true;
    } catch (failure) {
      toast.problem(problem, failure);
      return false;
    } finally {
      await cache.invalidateQueries({ queryKey: INBOX });
    }
  };
  const path = (row: Row) => ({ path: { rowId: row.id } });
  const restore = (row: Row) => then("Couldn't restore row", client.post('/inbox/{rowId}/restore', path(row)));
  return {
    setRead: (row: Row, read: boolean) =>
      read
        ? then("Couldn't mark row as read", client.post('/inbox/{rowId}/read', path(row)))
        : then("Couldn't mark row as unread", client.post('/inbox/{rowId}/unread', path(row))),
    /** Marks the rows seen so far as read: up to the newest row and the newest change. */
    readAll: (newest: Row, seenAt: string) =>
      then("Couldn't mark rows as read", client.post('/inbox/read', { body: { rowId: newest.id, seenAt } })),
    restore,
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
        : Promise.resolve(false),
    dismiss: async (row: Row) => {
      if (await then("Couldn't dismiss row", client.post('/inbox/{rowId}/dismiss', path(row)))) {
        toast.done(`Dismissed ${row.title}`, { undo: () => void restore(row) });
      }
    },
  };
}

/** The kinds of rows, as their features declare them. */
export const useKinds = () =>
  useQuery({
    queryKey: [...INBOX, 'kinds'],
    queryFn: ({ signal }) => client.get('/inbox/kinds', { signal }).then((answer) => answer.kinds),
  });

/** The label and icon of a row's kind. */
export function kindOf(row: Row, kinds: readonly Schemas['KindRecord'][] = []): { label: string; icon: IconName } {
  const kind = kinds.find(({ name }) => name === row.kind);
  return { label: kind?.label ?? row.kind, icon: iconNames.find((name) => name === kind?.icon) ?? 'bell' };
}

/** Whether a row can be allowed or denied here. Other requests are answered in the session. */
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
