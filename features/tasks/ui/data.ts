/** What tasks need besides themselves: hubs, sessions, and how a text is understood. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

export type TaskSession = Schemas['TaskSession'];
export type Understood = Schemas['UnderstoodTask'];

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The names of all hubs, by ID. */
export function useHubNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['hubs', 'names of tasks'],
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      let cursor: string | undefined;
      do {
        const page = await client.get('/hubs', { signal, query: { cursor } });
        for (const { id, name } of page.items) names.set(id, name);
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      return names;
    },
  });
  return data ?? NO_NAMES;
}

/** The state and result of a task's session. */
export const useTaskSession = (taskId: string, sessionId: string | undefined) =>
  useQuery({
    queryKey: ['task-session', taskId, sessionId],
    queryFn: ({ signal }) => client.get('/tasks/{taskId}/session', { path: { taskId }, signal }),
    enabled: sessionId !== undefined,
    retry: false,
  });

/** How a text is understood, as one types; `was` is the text that it replaces, if any. */
export function useUnderstood(text: string, was = ''): Understood | undefined {
  const typed = text.trim();
  const { data } = useQuery({
    queryKey: ['task-words', typed, was],
    queryFn: ({ signal }) => client.post('/tasks/understand', { body: { text: typed, ...(was && { was }) }, signal }),
    // Short texts mention nothing.
    enabled: typed.length > 2 && typed.length <= 2_000,
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return typed.length > 2 ? data : undefined;
}
