/** Sessions and hubs: types, queries, and actions. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import type { PromptPicture } from './pictures';

/** A session. Its texts come from people and agents and are shown as plain text. */
export type Session = Schemas['Session'];
/** A session with the details of its page. */
export type Detail = Schemas['Detail'];
/** A request of a session. */
export type Ask = Schemas['SessionAsk'];
/** A folder in which sessions run. */
export type Hub = Schemas['Hub'];

/** The start of the query keys of session lists. */
export const SESSIONS = ['sessions'];
export const HUBS = ['hubs'];
export const ENGINES = ['engines'];
export const RULES = ['permission-rules'];
/** The start of the query keys of one session. */
export const sessionKey = (id: string) => ['session', id];

/** Number of sessions loaded for the sidebar. */
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

/** The newest sessions, for the sidebar. */
export const useNewest = () =>
  useQuery({
    queryKey: [...SESSIONS, 'newest'],
    queryFn: ({ signal }) => client.get('/sessions', { signal, query: { limit: NEWEST } }).then((page) => page.items),
  });

/** Every session, page by page, newest first. */
export const useSessions = (hub: string) =>
  useInfiniteQuery({
    queryKey: [...SESSIONS, 'all', hub],
    queryFn: ({ pageParam, signal }) =>
      client.get('/sessions', { signal, query: { projectId: hub || null, cursor: pageParam || null } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** A text of a transcript with the words that were searched for. Plain text, as it comes from people and agents. */
export type Hit = Schemas['Hit'];

/** A transcript search. */
export interface Wanted {
  words: string;
  newest: boolean;
  archived: boolean;
}

/** How often to search again while transcripts are being indexed. */
const INDEXING_MS = 2_000;

/** Search results of all transcripts. The previous results stay until new ones arrive. */
export const useSearched = ({ words, newest, archived }: Wanted) =>
  useInfiniteQuery({
    queryKey: ['transcripts', words, newest, archived],
    queryFn: ({ pageParam, signal }) =>
      client.get('/sessions/search', { signal, query: { q: words, newest, archived, skip: pageParam || null } }),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next ?? undefined,
    enabled: words !== '',
    placeholderData: (before) => (words === '' ? undefined : before),
    refetchInterval: ({ state }) => (state.data?.pages.at(-1)?.pending ? INDEXING_MS : false),
  });

/** The title of the parent session, or null. */
export const useParent = (parentId: string | null) =>
  useQuery({
    queryKey: [...SESSIONS, 'parent', parentId],
    queryFn: ({ signal }) =>
      client.get('/sessions/{sessionId}', { path: { sessionId: parentId! }, signal }).then(({ title }) => title),
    enabled: parentId !== null,
    retry: false,
  }).data ?? null;

/** The current branch of a session's folder; null if it has none. Loaded again after each turn. */
export const useBranch = ({ id, turns }: Pick<Session, 'id' | 'turns'>) =>
  useQuery({
    queryKey: [...sessionKey(id), 'branch', turns],
    queryFn: ({ signal }) =>
      client.get('/sessions/{sessionId}/changes', { path: { sessionId: id }, signal }).then(({ branch }) => branch),
    placeholderData: (before) => before,
    retry: false,
  }).data ?? null;

/** A session's requests, oldest first. */
export const useAsks = (id: string) =>
  useQuery({
    queryKey: [...sessionKey(id), 'asks'],
    queryFn: ({ signal }) =>
      client.get('/sessions/{sessionId}/asks', { path: { sessionId: id }, signal }).then((asks) => asks.items),
  });

/** A new session. */
export interface New {
  projectId: string;
  prompt: string;
  engine?: string;
  title?: string;
  model?: string;
  mode?: string;
  images?: PromptPicture[];
  worktree?: boolean;
  branch?: string;
}

/** An answer to a request. */
export type Answer = {
  allow: boolean;
  always?: boolean;
  scope?: Scope;
  offer?: string;
  value?: Record<string, unknown>;
};

/** A permission rule: what you always allow, and where. */
export type Rule = Schemas['PermissionRule'];
/** Where a rule applies. */
export type Scope = Rule['scope'];

/** A message to send. */
export interface Prompt {
  prompt: string;
  images: PromptPicture[];
  /** Send to the current turn, if the engine supports it. */
  steer: boolean;
}

/** Reports the read position. If it fails, entries just stay unread. */
export const tellSeen = (id: string, number: number) =>
  client.post('/sessions/{sessionId}/seen', { path: { sessionId: id }, body: { number } }).catch(() => null);

/** Actions on sessions. Each shows its failures and reloads what it changed. */
export function useSessionActions() {
  const cache = useQueryClient();
  const then = async <T>(problem: string, id: string | null, request: Promise<T>): Promise<T | null> => {
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
  const ofHubs = <T>(request: Promise<T>): Promise<T> =>
    request.finally(() => void cache.invalidateQueries({ queryKey: HUBS }));
  const path = (id: string) => ({ path: { sessionId: id } });
  return {
    create: (what: New) =>
      then(
        "Couldn't start session",
        null,
        client.post('/sessions', { body: { driven: false, worktree: false, ...what } }),
      ),
    fork: (id: string, body: { entry: number; prompt: string; worktree?: boolean }) =>
      then("Couldn't fork session", null, client.post('/sessions/{sessionId}/fork', { ...path(id), body })),
    practise: async () => {
      const session = await then("Couldn't start practice session", null, client.post('/sessions/practice'));
      // It may have made the folder for them a hub.
      void cache.invalidateQueries({ queryKey: HUBS });
      return session;
    },
    message: (id: string, { prompt, images, steer }: Prompt) =>
      then(
        "Couldn't send message",
        id,
        client.post('/sessions/{sessionId}/messages', {
          ...path(id),
          body: { prompt, ...(images.length > 0 ? { images } : {}), ...(steer ? { steer } : {}) },
        }),
      ),
    takeBack: (id: string, promptId: number) =>
      then(
        "Couldn't remove message",
        id,
        client.delete('/sessions/{sessionId}/messages/{promptId}', { path: { sessionId: id, promptId } }),
      ),
    change: (id: string, body: { title?: string; model?: string; mode?: string; effort?: string }) =>
      then("Couldn't change session", id, client.patch('/sessions/{sessionId}', { ...path(id), body })),
    cancel: (id: string) => then("Couldn't cancel turn", id, client.post('/sessions/{sessionId}/cancel', path(id))),
    stop: (id: string) => then("Couldn't stop session", id, client.post('/sessions/{sessionId}/stop', path(id))),
    stopTree: (id: string) =>
      then(
        "Couldn't stop all sessions",
        id,
        client.post('/sessions/{sessionId}/stop', { ...path(id), body: { tree: true } }),
      ),
    resume: (id: string) => then("Couldn't resume session", id, client.post('/sessions/{sessionId}/resume', path(id))),
    pause: (id: string) => then("Couldn't pause session", id, client.post('/sessions/{sessionId}/pause', path(id))),
    archive: (id: string) =>
      then("Couldn't archive session", id, client.post('/sessions/{sessionId}/archive', path(id))),
    answer: async (id: string, ask: string, { allow, always = false, scope, offer, value }: Answer) => {
      const more = {
        ...(scope && { scope }),
        ...(offer === undefined ? {} : { offer }),
        ...(value === undefined ? {} : { value }),
      };
      const path = { sessionId: id, askId: ask };
      const request = client.post('/sessions/{sessionId}/asks/{askId}/answer', {
        path,
        body: { allow, always, ...more },
      });
      const taken = await then("Couldn't submit answer", id, request);
      if (always) void cache.invalidateQueries({ queryKey: RULES });
      return taken;
    },
    removeRule: async (ruleId: string) => {
      await then("Couldn't remove rule", null, client.delete('/sessions/rules/{ruleId}', { path: { ruleId } }));
      await cache.invalidateQueries({ queryKey: RULES });
    },
    checkEngine: async (engineId: string) => {
      await then("Couldn't check engine", null, client.post('/engines/{engineId}/check', { path: { engineId } }));
      await cache.invalidateQueries({ queryKey: ENGINES });
    },
    /** Throws what is wrong with the folder or the name. */
    addHub: (folder: string, name?: string) =>
      ofHubs(client.post('/hubs', { body: { folder, ...(name ? { name } : {}) } })),
    changeHub: (hubId: string, body: { name?: string; folder?: string }) =>
      ofHubs(client.patch('/hubs/{hubId}', { path: { hubId }, body })),
    removeHub: async (hubId: string) => {
      await then("Couldn't remove hub", null, ofHubs(client.delete('/hubs/{hubId}', { path: { hubId } })));
      void cache.invalidateQueries({ queryKey: RULES });
    },
  };
}

/** Whether the session has entries that you haven't seen. */
export const isUnread = (session: Session): boolean => session.unread > 0;

const readEngines = ({ signal }: { signal: AbortSignal }) =>
  client.get('/engines', { signal }).then(({ items }) => items);

/** An engine and its status on this machine. */
export type Engine = Awaited<ReturnType<typeof readEngines>>[number];

/** Whether it can start sessions. */
export const canStart = (engine: Engine) => engine.isFound === true && engine.notReady === null;

/** How often to reload while engines are being detected. */
const LOOKING_MS = 1_000;

/** All engines; reloaded until each was checked. */
export const useEngines = () =>
  useQuery({
    queryKey: ENGINES,
    queryFn: readEngines,
    refetchInterval: ({ state }) => (state.data?.some(({ isFound }) => isFound === null) ? LOOKING_MS : false),
  });

/** All permission rules, newest first. */
export const useRules = () =>
  useQuery({
    queryKey: RULES,
    queryFn: ({ signal }) => client.get('/sessions/rules', { signal }).then(({ items }) => items),
  });

/** The name of an engine by its ID; the ID while names aren't loaded. */
export function useEngineName(): (id: string) => string {
  const { data: engines } = useEngines();
  return (id) => engines?.find((engine) => engine.id === id)?.name ?? id;
}
