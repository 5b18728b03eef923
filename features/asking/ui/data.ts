/** Input requests, key proposals, and secrets: types, queries, and actions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

/** An input request or key proposal. Its texts come from agents and are shown as plain text; it never has the value. */
export type Ask = Schemas['Ask'];
/** A stored secret, without its value. */
export type Kept = Schemas['KeptSecret'];

/** The start of this feature's query keys: one event invalidates all of them. */
export const ASKS = ['asks'];

/** One input request or key proposal. */
export const useAsk = (id: string) =>
  useQuery({
    queryKey: [...ASKS, 'one', id],
    queryFn: ({ signal }) => client.get('/asks/{askId}', { path: { askId: id }, signal }),
  });

/** A session's input requests and key proposals, oldest first. */
export const useAsksOf = (sessionId: string) =>
  useQuery({
    queryKey: [...ASKS, 'of', sessionId],
    queryFn: ({ signal }) =>
      client.get('/asks', { query: { session: sessionId }, signal }).then(({ items }) => items.toReversed()),
  });

/** The stored secrets, by name. */
export const useSecrets = () =>
  useQuery({ queryKey: [...ASKS, 'secrets'], queryFn: ({ signal }) => client.get('/secrets', { signal }) });

/** A proposed key. Not one of this feature's queries: those are cached, and reloaded on each change. */
export const useOffered = (id: string) =>
  useQuery({
    queryKey: ['offered-key', id],
    queryFn: ({ signal }) => client.get('/key-proposals/{askId}/value', { path: { askId: id }, signal }),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/** Decisions of the user. Each throws if it's rejected, and reloads the data either way. */
export function useDecisions(ask: Ask) {
  const cache = useQueryClient();
  const path = { askId: ask.id };
  const then = async (request: Promise<unknown>) => {
    try {
      await request;
    } finally {
      await cache.invalidateQueries({ queryKey: ASKS });
    }
  };
  return {
    answer: (value: string) => then(client.post('/input-requests/{askId}/answer', { path, body: { value } })),
    save: (name: string, value: string) =>
      then(client.post('/key-proposals/{askId}/save', { path, body: { name, value } })),
    refuse: () =>
      then(
        ask.kind === 'key'
          ? client.post('/key-proposals/{askId}/dismiss', { path })
          : client.post('/input-requests/{askId}/decline', { path }),
      ),
  };
}

/** The destination of a value: its kind and name. */
export const targetOf = ({ target }: Ask): { kind: 'env' | 'secret'; name: string } =>
  'env' in target ? { kind: 'env', name: target.env } : { kind: 'secret', name: target.secret };
