/** Instruction presets of hubs, and the instructions that sessions started with. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { HUBS, sessionKey } from '../data';

export type InstructionPreset = Schemas['InstructionPreset'];
export type SessionInstructions = Schemas['SessionInstructions'];

const presetsKey = (hubId: string) => [...HUBS, hubId, 'instructions'];

export const usePresets = (hubId: string) =>
  useQuery({
    queryKey: presetsKey(hubId),
    queryFn: ({ signal }) =>
      client.get('/hubs/{hubId}/instructions', { path: { hubId }, query: {}, signal }).then(({ items }) => items),
  });

/** Changes of a hub's presets. Each throws what is wrong. */
export function usePresetActions(hubId: string) {
  const cache = useQueryClient();
  const then = <T>(request: Promise<T>): Promise<T> =>
    request.finally(() => void cache.invalidateQueries({ queryKey: presetsKey(hubId) }));
  const path = (preset: string) => ({ path: { hubId, preset } });
  return {
    set: (preset: string, text: string) =>
      then(client.put('/hubs/{hubId}/instructions/{preset}', { ...path(preset), body: { text } })),
    reset: (preset: string) => then(client.delete('/hubs/{hubId}/instructions/{preset}', path(preset))),
  };
}

export const useInstructions = (sessionId: string) =>
  useQuery({
    queryKey: [...sessionKey(sessionId), 'instructions'],
    queryFn: ({ signal }) => client.get('/sessions/{sessionId}/instructions', { path: { sessionId }, signal }),
  });

/** An approximate number of tokens, in words. */
export const aboutTokens = (tokens: number): string =>
  `about ${tokens.toLocaleString()} ${tokens === 1 ? 'token' : 'tokens'}`;
