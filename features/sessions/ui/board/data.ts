/** The Agent Board and the first session: types and queries. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { SESSIONS } from '../data';

/** An agent. Its texts come from agents and are shown as plain text. */
export type Line = Schemas['AgentLine'];

/** Number of agents loaded at first, and with each step. */
const LINES = 100;

/** Every agent, newest first. Session events invalidate it like all session lists. */
export const useLines = () =>
  useInfiniteQuery({
    queryKey: [...SESSIONS, 'board'],
    queryFn: ({ pageParam, signal }) =>
      client.get('/sessions/board', { signal, query: { limit: LINES, cursor: pageParam || null } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** Claims a request to show a page. Rejected if another window claimed it first. */
export const takeShown = (rowId: string) => client.post('/navigate/{rowId}/take', { path: { rowId } });
