/** Sessions and hubs: shapes, the queries, and what a person does with them. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';

/** A session. Its texts come from people and agents and are shown as plain text. */
export type Session = Schemas['Session'];
/** What a session asked for. */
export type Ask = Schemas['Ask'];
/** A folder in which sessions run. */
export type Hub = Schemas['Hub'];

/** What every query of lists of sessions begins with. */
export const SESSIONS = ['sessions'];
export const HUBS = ['hubs'];
/** What every query of one session begins with. */
export const sessionKey = (id: string) => ['session', id];

/** Sessions that are read for the navigation. */
const NEWEST = 50;

/** All hubs, by name. */
export const useHubs = () =>
  useQuery({
    queryKey: HUBS,
    queryFn: async ({ signal }) => {
      const hubs: Hub[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.get('/hubs', { signal, query: { cursor } });
        hubs.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      return hubs;
    },
  });

/** The newest sessions, for the navigation. */
export const useNewest = () =>
  useQuery({ queryKey: [...SESSIONS, 'newest'], queryFn: ({ signal }) => client.get('/sessions', { signal, query: { limit: NEWEST } }).then((page) => page.items), refetchInterval: POLL_MS });

/** Every session, page by page, newest first. */
export const useSessions = (hub: string) =>
  useInfiniteQuery({
    queryKey: [...SESSIONS, 'all', hub],
    queryFn: ({ pageParam, signal }) => client.get('/sessions', { signal, query: { projectId: hub || null, cursor: pageParam || null } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: POLL_MS,
  });

/** How often lists are read again while no news of sessions is told. */
const POLL_MS = 5_000;

/** What a session asked for, oldest first. */
export const useAsks = (id: string) => useQuery({ queryKey: [...sessionKey(id), 'asks'], queryFn: ({ signal }) => client.get('/sessions/{sessionId}/asks', { path: { sessionId: id }, signal }).then((asks) => asks.items) });

/** What is to be started. */
export interface New {
  projectId: string;
  prompt: string;
  engine?: string;
  title?: string;
}

/** What a person answers to what a session asked for. */
export type Answer = { allow: boolean; always?: boolean; offer?: string; value?: Record<string, unknown> };

/** What a person does with sessions; each failure is said, and what it changed is read again. */
export function useSessionActions() {
  const cache = useQueryClient();
  const then = async <T,>(problem: string, id: string | null, request: Promise<T>): Promise<T | null> => {
    try {
      return await request;
    } catch (failure) {
      toast.problem(problem, failure);
      return null;
    } finally {
      void cache.invalidateQueries({ queryKey: SESSIONS });
      if (id) void cache.invalidateQueries({ queryKey: sessionKey(id) });
    }
  };
  const path = (id: string) => ({ path: { sessionId: id } });
  return {
    create: (what: New) => then('The session was not started', null, client.post('/sessions', { body: { driven: false, ...what } })),
    message: (id: string, prompt: string) => then('The prompt was not sent', id, client.post('/sessions/{sessionId}/messages', { ...path(id), body: { prompt } })),
    stop: (id: string) => then('The session was not stopped', id, client.post('/sessions/{sessionId}/stop', path(id))),
    resume: (id: string) => then('The session was not resumed', id, client.post('/sessions/{sessionId}/resume', path(id))),
    pause: (id: string) => then('The session was not paused', id, client.post('/sessions/{sessionId}/pause', path(id))),
    archive: (id: string) => then('The session was not archived', id, client.post('/sessions/{sessionId}/archive', path(id))),
    answer: (id: string, ask: string, { allow, always = false, offer, value }: Answer) =>
      then(
        'The answer was not taken',
        id,
        client.post('/sessions/{sessionId}/asks/{askId}/answer', { path: { sessionId: id, askId: ask }, body: { allow, always, ...(offer === undefined ? {} : { offer }), ...(value === undefined ? {} : { value }) } }),
      ),
    addHub: async (folder: string) => {
      try {
        return await client.post('/hubs', { body: { folder } });
      } finally {
        void cache.invalidateQueries({ queryKey: HUBS });
      }
    },
  };
}

/** The session that a newcomer sees first: it looks, asks once, writes and says what it did. */
export const PRACTICE_PROMPT =
  'practice: title A first look; todo ~Look around|Write a note|Say what happened; think I look at the folder first, then I write a note.; run ls; todo +Look around|~Write a note|Say what happened; write pilothouse-practice.md # Hello\n\nThis note was written by the practice agent.; todo +Look around|+Write a note|~Say what happened; usage 1200 200000 0; say I looked at the folder and wrote **pilothouse-practice.md**. Every step that changes something asked you first.; todo +Look around|+Write a note|+Say what happened';

/** Whether something happened in it that the person has not looked at. */
export const isUnread = (session: Session): boolean => session.need !== null;

/** An engine that sessions can be started with. */
export interface EngineChoice {
  id: string;
  name: string;
  isReady: boolean;
  /** Why it is not, or its version. */
  why?: string;
}

/** The engines, those that can be started first. */
export const useEngines = () => useQuery({ queryKey: ['engines'], queryFn: (): Promise<EngineChoice[]> => Promise.resolve([{ id: 'practice', name: 'Practice', isReady: true }]) });
