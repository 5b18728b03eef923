/** What starting a session needs to know: folders on this machine, what an engine offers, and prompt templates. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { sessionKey, useNewest, type Hub } from '../data';

/** The folders that match a typed path, and the one it names. */
export type Folders = Schemas['Folders'];
/** A saved text for messages. */
export type Template = Schemas['PromptTemplate'];

const TEMPLATES = ['session-templates'];

/** Maximum recent folders offered. */
const RECENT_MAX = 8;

/** Completes a typed path. The previous folders stay until new ones arrive. */
export const useFolders = (path: string, isWanted = true) =>
  useQuery({
    queryKey: ['folders', path],
    queryFn: ({ signal }) => client.get('/hubs/folders', { signal, query: { path } }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    // Folders come and go without news.
    staleTime: 1_000,
    gcTime: 10_000,
  });

/** The hubs with the newest sessions first, then those without sessions. */
export const recentHubs = (hubs: readonly Hub[]): Hub[] =>
  hubs
    .filter(({ isThere, purpose }) => isThere && purpose === '')
    .sort((a, b) => (b.lastSessionId ?? '').localeCompare(a.lastSessionId ?? '') || a.name.localeCompare(b.name))
    .slice(0, RECENT_MAX);

/** What an engine is known to offer: what its newest session reported. */
export function useOffers(engine: string | null) {
  const { data: sessions } = useNewest();
  // Whether it accepts images is known once it was started.
  const newest = sessions?.find((one) => one.engine === engine && one.acceptsImages !== null);
  const { data } = useQuery({
    queryKey: [...sessionKey(newest?.id ?? ''), 'offers'],
    queryFn: ({ signal }) => client.get('/sessions/{sessionId}', { path: { sessionId: newest!.id }, signal }),
    enabled: newest !== undefined,
  });
  const offered = (category: 'model' | 'mode' | 'thought_level') =>
    data?.choices.find((choice) => (choice.category ?? choice.id) === category)?.options ?? [];
  return {
    models: offered('model'),
    modes: offered('mode'),
    efforts: offered('thought_level'),
    acceptsImages: newest?.acceptsImages ?? null,
  };
}

/** All prompt templates, by name. */
export const useTemplates = () =>
  useQuery({
    queryKey: TEMPLATES,
    queryFn: ({ signal }) => client.get('/sessions/templates', { signal }).then(({ items }) => items),
  });

/** Changes of prompt templates. Those with a name to type throw what is wrong with it. */
export function useTemplateActions() {
  const cache = useQueryClient();
  const then = <T>(request: Promise<T>): Promise<T> =>
    request.finally(() => void cache.invalidateQueries({ queryKey: TEMPLATES }));
  const save = (name: string, text: string) => then(client.post('/sessions/templates', { body: { name, text } }));
  const change = (templateId: string, body: { name?: string; text?: string }) =>
    then(client.patch('/sessions/templates/{templateId}', { path: { templateId }, body }));
  return {
    save,
    change,
    remove: async ({ id, name, text }: Template) => {
      try {
        await then(client.delete('/sessions/templates/{templateId}', { path: { templateId: id } }));
      } catch (failure) {
        return toast.problem("Couldn't delete template", failure);
      }
      toast.done(`Deleted ${name}`, {
        undo: () =>
          save(name, text).then(
            () => {},
            (failure: unknown) => toast.problem("Couldn't restore template", failure),
          ),
      });
    },
  };
}
