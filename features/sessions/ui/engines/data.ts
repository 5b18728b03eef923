/** How engines are set up: types, the query, and changes. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, reasonOf } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { ENGINES } from '../data';

export type EngineSettings = Schemas['EngineSettings'];
export type EngineLevel = Schemas['EngineLevel'];

/** A named value being edited. */
export interface Draft {
  key: number;
  name: string;
  /** Empty for a stored secret, which stays as it is. */
  value: string;
  isSecret: boolean;
  /** What is stored under its name, or null for a new one. */
  stored: { name: string; value: string | null } | null;
}

let lastKey = 0;
export const newDraft = (): Draft => ({ key: ++lastKey, name: '', value: '', isSecret: true, stored: null });
export const drafts = (values: readonly Schemas['EngineVariable'][]): Draft[] =>
  values.map(({ name, value, isSecret }) => ({
    key: ++lastKey,
    name,
    value: value ?? '',
    isSecret,
    stored: { name, value },
  }));

/** Whether it has to be sent. A stored secret without a new value stays. */
const isChanged = ({ name, value, isSecret, stored }: Draft) =>
  stored === null ||
  stored.name !== name ||
  (stored.value === null ? !isSecret || value !== '' : isSecret || stored.value !== value);

/** What is missing in named values, by their keys. */
export function missing(all: readonly Draft[]): Map<number, string> {
  const faults = new Map<number, string>();
  for (const one of all) {
    if (one.name.trim() === '') faults.set(one.key, 'Enter a name.');
    else if (all.some((other) => other.key !== one.key && other.name === one.name))
      faults.set(one.key, 'This name is used twice.');
    else if (one.value === '' && isChanged(one)) faults.set(one.key, 'Enter a value.');
  }
  return faults;
}

/** What is wrong with one named value. */
export class DraftFault extends Error {
  constructor(
    readonly key: number,
    reason: string,
  ) {
    super(reason);
  }
}

/** Saves what changed between the stored values and the edited ones. */
export async function saveDrafts(
  before: readonly { name: string }[],
  after: readonly Draft[],
  put: (draft: Draft) => Promise<unknown>,
  remove: (name: string) => Promise<unknown>,
) {
  for (const { name } of before) if (!after.some((one) => one.name === name)) await remove(name);
  for (const one of after) {
    if (!isChanged(one)) continue;
    try {
      await put(one);
    } catch (failure) {
      throw new DraftFault(one.key, reasonOf(failure));
    }
  }
}

/** The field that an error is about, or null. */
export const fieldOf = (failure: unknown): string | null =>
  (failure instanceof ApiError && failure.errors[0]?.pointer.split('/')[1]) || null;

export const useEngineSettings = (engineId: string) =>
  useQuery({
    queryKey: [...ENGINES, engineId, 'settings'],
    queryFn: ({ signal }) => client.get('/engines/{engineId}/settings', { path: { engineId }, signal }),
    // A form isn't filled in with an older state.
    staleTime: 0,
    gcTime: 0,
  });

type Patch = Partial<Pick<EngineSettings, 'name' | 'args' | 'permissionLevel'>> & {
  program?: string;
  model?: string;
  effort?: string;
};

/** Changes of engines. Each throws what is wrong. */
export function useEngineActions() {
  const cache = useQueryClient();
  const then = <T>(request: Promise<T>): Promise<T> =>
    request.finally(() => void cache.invalidateQueries({ queryKey: ENGINES }));
  const saveVariables = (engineId: string, before: readonly { name: string }[], after: readonly Draft[]) =>
    saveDrafts(
      before,
      after,
      ({ name, value, isSecret }) =>
        client.put('/engines/{engineId}/variables/{name}', { path: { engineId, name }, body: { value, isSecret } }),
      (name) => client.delete('/engines/{engineId}/variables/{name}', { path: { engineId, name } }),
    );
  return {
    add: (body: { name: string; command: string; args: string[] }) => then(client.post('/engines', { body })),
    change: (engineId: string, body: Patch) =>
      then(client.patch('/engines/{engineId}/settings', { path: { engineId }, body })),
    saveVariables: (...of: Parameters<typeof saveVariables>) => then(saveVariables(...of)),
    remove: (engineId: string) => then(client.delete('/engines/{engineId}', { path: { engineId } })),
  };
}
