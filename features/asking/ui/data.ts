/** What sessions ask for and offer: shapes, queries, and what a person decides. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

/** What is asked. Its texts come from agents and are shown as plain text; no value is in it. */
export type Ask = Schemas['Ask'];
/** A secret that is kept, without its value. */
export type Kept = Schemas['KeptSecret'];

/** What every query of this feature begins with; one event makes all of them old. */
export const ASKS = ['asks'];

/** One ask. */
export const useAsk = (id: string) =>
  useQuery({
    queryKey: [...ASKS, 'one', id],
    queryFn: ({ signal }) => client.get('/asks/{askId}', { path: { askId: id }, signal }),
  });

/** What a session asks for and offers, oldest first. */
export const useAsksOf = (sessionId: string) =>
  useQuery({
    queryKey: [...ASKS, 'of', sessionId],
    queryFn: ({ signal }) =>
      client.get('/asks', { query: { session: sessionId }, signal }).then(({ items }) => items.toReversed()),
  });

/** The secrets that are kept, by their names. */
export const useSecrets = () =>
  useQuery({ queryKey: [...ASKS, 'secrets'], queryFn: ({ signal }) => client.get('/secrets', { signal }) });

/** An offered key. It is not among the queries of this feature, since those are kept for a while and read again at every change. */
export const useOffered = (id: string) =>
  useQuery({
    queryKey: ['offered-key', id],
    queryFn: ({ signal }) => client.get('/key-proposals/{askId}/value', { path: { askId: id }, signal }),
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/** What a person decides. Each throws where the program refuses; what is shown is read again in any case. */
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

/** Where a value goes, as a kind and a name. */
export const targetOf = ({ target }: Ask): { kind: 'env' | 'secret'; name: string } =>
  'env' in target ? { kind: 'env', name: target.env } : { kind: 'secret', name: target.secret };
