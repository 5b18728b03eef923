/** What the Agent Board shows, and the first session. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { SESSIONS } from '../data';

/** One agent that was launched. Its texts come from agents and are shown as plain text. */
export type Line = Schemas['AgentLine'];

/** Lines that are read at first, and with each step further. */
const LINES = 100;

/** Every agent that was launched, newest first. News of sessions make it old as they do every list of them. */
export const useLines = () =>
  useInfiniteQuery({
    queryKey: [...SESSIONS, 'board'],
    queryFn: ({ pageParam, signal }) =>
      client.get('/sessions/board', { signal, query: { limit: LINES, cursor: pageParam || null } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** Takes what an agent wants to show over; refused where another window was quicker. */
export const takeShown = (rowId: string) => client.post('/navigate/{rowId}/take', { path: { rowId } });
