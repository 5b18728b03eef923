/** Models, their providers, prices, and what was spent: types, queries, and changes. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

export type Provider = Schemas['ModelProvider'];
export type ProviderKind = Schemas['ModelProviderKind'];
export type Choices = Schemas['ModelChoices'];
export type ModelChoice = Schemas['ModelChoice'];
export type Price = Schemas['ModelPrice'];
export type Usage = Schemas['Usage'];
export type UsageRow = Schemas['UsageRow'];

/** The start of the query keys of models: a change invalidates all of them. */
export const MODELS = ['models'];
/** The start of the query keys of what was spent. */
export const USAGE = ['usage'];

/** What providers are, with what their forms ask for. */
export const KINDS: Readonly<
  Record<ProviderKind, { label: string; help: string; hasUrl: boolean; needsKey: boolean }>
> = {
  anthropic: { label: 'Anthropic', help: 'Needs an API key.', hasUrl: true, needsKey: true },
  openai: { label: 'OpenAI', help: 'Needs an API key.', hasUrl: true, needsKey: true },
  openrouter: {
    label: 'OpenRouter',
    help: 'Needs an API key. Has models of many vendors.',
    hasUrl: true,
    needsKey: true,
  },
  ollama: { label: 'Ollama', help: 'Runs on your computer and costs nothing.', hasUrl: true, needsKey: false },
  lmstudio: { label: 'LM Studio', help: 'Runs on your computer and costs nothing.', hasUrl: true, needsKey: false },
  compatible: {
    label: 'Compatible server',
    help: 'Any server with OpenAI chat completions.',
    hasUrl: true,
    needsKey: false,
  },
  claude: {
    label: 'Through Claude Code',
    help: 'Uses your Claude Code login. No API key needed.',
    hasUrl: false,
    needsKey: false,
  },
  codex: { label: 'Through Codex', help: 'Uses your Codex login. No API key needed.', hasUrl: false, needsKey: false },
};

export const useProviders = () =>
  useQuery({
    queryKey: [...MODELS, 'providers'],
    queryFn: ({ signal }) => client.get('/models/providers', { signal }).then(({ items }) => items),
  });

export const useChoices = () =>
  useQuery({ queryKey: [...MODELS, 'choices'], queryFn: ({ signal }) => client.get('/models', { signal }) });

export const usePrices = () =>
  useQuery({
    queryKey: [...MODELS, 'prices'],
    queryFn: ({ signal }) => client.get('/models/prices', { signal }).then(({ items }) => items),
  });

/** The names of a provider's models. Asked once: it asks the provider. */
export const useAvailable = (providerId: string | null) =>
  useQuery({
    queryKey: [...MODELS, 'available', providerId],
    queryFn: ({ signal }) =>
      client
        .get('/models/providers/{providerId}/models', { path: { providerId: providerId ?? '' }, signal })
        .then(({ models }) => models),
    enabled: providerId !== null,
    retry: false,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

/** What was spent in the last days. */
export const useUsage = (from: string, to: string) =>
  useQuery({
    queryKey: [...USAGE, from, to],
    queryFn: ({ signal }) => client.get('/usage', { query: { from, to }, signal }),
  });

/** The form of a provider. */
export interface ProviderDraft {
  kind: ProviderKind;
  name: string;
  url: string;
  key: string;
  removeKey: boolean;
}

export function useModelActions() {
  const cache = useQueryClient();
  const reload = () => cache.invalidateQueries({ queryKey: MODELS });
  return {
    add: ({ kind, name, url, key }: ProviderDraft) =>
      client
        .post('/models/providers', {
          body: {
            kind,
            ...(name.trim() ? { name: name.trim() } : {}),
            ...(url.trim() ? { url: url.trim() } : {}),
            ...(key ? { key } : {}),
          },
        })
        .then(reload),
    change: (before: Provider, { name, url, key, removeKey }: ProviderDraft) =>
      client
        .patch('/models/providers/{providerId}', {
          path: { providerId: before.id },
          body: {
            ...(name.trim() !== before.name ? { name: name.trim() } : {}),
            ...(url.trim() !== before.url ? { url: url.trim() } : {}),
            ...(key ? { key } : {}),
            ...(removeKey ? { removeKey } : {}),
          },
        })
        .then(reload),
    remove: (id: string) => client.delete('/models/providers/{providerId}', { path: { providerId: id } }).then(reload),
    choose: (body: { utility?: ModelChoice | null; vision?: ModelChoice | null; freeOnly?: boolean }) =>
      client.patch('/models', { body }).then(reload),
    test: async (choice: ModelChoice) => {
      const { providerId, model } = choice;
      const answer = await client.post('/models/providers/{providerId}/test', {
        path: { providerId },
        body: { model },
      });
      await cache.invalidateQueries({ queryKey: USAGE });
      return answer;
    },
    setPrice: (price: { model: string; input: number; output: number }) =>
      client.put('/models/prices', { body: price }).then(reload),
    removePrice: (model: string) => client.delete('/models/prices', { query: { model } }).then(reload),
  };
}

/** An amount of money, exact enough for small ones. */
export function money(amount: number, currency: string): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 6 : 2;
  return amount.toLocaleString(undefined, { style: 'currency', currency, maximumFractionDigits: digits });
}
