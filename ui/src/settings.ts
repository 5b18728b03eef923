/** The settings: one query for the whole page, updated by live events. */
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { client, type Exact, type Schemas } from './client';
import type { SettingKey, SettingValues, ToggleKey } from './gen/settings';
import { useLiveEvent } from './live';

/** The part of JSON Schema that settings use. */
export type Schema = {
  type?: string | string[];
  enum?: (string | number)[];
  oneOf?: { const: string | number; title?: string; description?: string }[];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  title?: string;
  description?: string;
  items?: Schema;
  uniqueItems?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
};

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** One setting. */
export type Setting = Exact<Schemas['SettingRecord'], { schema: Schema }>;

/** All of them, in the specification's order. */
export type Settings = Exact<Schemas['SettingsList'], { settings: Setting[] }>;

/** Whether the setting's feature isn't built yet: its value is stored and has no effect. */
export const isPlanned = ({ effect }: Pick<Setting, 'effect'>) =>
  effect.reasons.some(({ code }) => code === 'not-built-yet');

/** Whether the setting that shows an entry is on. True until settings are loaded, so that nothing appears late. */
export const isShown = (entry: { shownBy?: ToggleKey }, all: Settings | undefined) =>
  !entry.shownBy || all?.settings.find((setting) => setting.key === entry.shownBy)?.value !== false;

/** Response to a change: the record and its previous value. */
export type SettingChanged = Exact<Schemas['Changed'], { schema: Schema }>;

/** Key of the one query. */
export const SETTINGS_QUERY = ['settings'] as const;

const readSettings = async ({ signal }: { signal: AbortSignal }) =>
  (await client.get('/settings', { signal })) as Settings;

/** All settings. */
export const useSettings = () => useQuery({ queryKey: SETTINGS_QUERY, queryFn: readSettings });

/** One setting's value, or `undefined` while unknown. */
export function useSetting<Key extends SettingKey>(key: Key): SettingValues[Key] | undefined {
  const select = useCallback(
    (all: Settings) => all.settings.find((setting) => setting.key === key)?.value as SettingValues[Key] | undefined,
    [key],
  );
  return useQuery({
    queryKey: SETTINGS_QUERY,
    queryFn: readSettings,
    select,
  }).data;
}

/** Puts a record, or some of its members, into the cache without loading the others. */
export function patchCachedSetting(cache: QueryClient, key: string, members: Partial<Setting>, revision?: number) {
  cache.setQueryData<Settings>(SETTINGS_QUERY, (all) => {
    if (!all) return all;
    return {
      revision: Math.max(all.revision, revision ?? 0),
      settings: all.settings.map((setting) => (setting.key === key ? { ...setting, ...members } : setting)),
    };
  });
}

/** Events within this time (such as those of an import) cause one request. */
const GATHER_MS = 150;
const MOST_SINGLE_RECORDS = 3;

/** Applies changes made elsewhere. Mounted once, by the shell. */
export function useLiveSettings() {
  const cache = useQueryClient();
  const gathered = useRef(new Map<string, Json>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  useLiveEvent<{ key: string; value: Json; revision?: number }>('setting-changed', (event) => {
    const held = cache.getQueryData<Settings>(SETTINGS_QUERY);
    // Data being loaded may be older than this event.
    if (!held) return void cache.invalidateQueries({ queryKey: SETTINGS_QUERY });
    const setting = held.settings.find((s) => s.key === event.key);
    // A setting of the whole installation is counted by the account that may change it, not by each that hears of it.
    if (!setting || (event.revision !== undefined && event.revision <= held.revision)) return;
    // Our own change: its response has the record.
    if (sameJson(setting.value, event.value)) return patchCachedSetting(cache, event.key, {}, event.revision);
    const modified = !sameJson(event.value, setting.default);
    patchCachedSetting(cache, event.key, { value: event.value, modified }, event.revision);
    gathered.current.set(event.key, event.value);
    // Started only if none runs, because constant events must not delay reloading.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void readAgain(cache, gathered.current);
      gathered.current = new Map();
    }, GATHER_MS);
  });
}

/** The event has the value. Only the record has its effect and whether it needs a restart. */
async function readAgain(cache: QueryClient, changed: ReadonlyMap<string, Json>) {
  void cache.invalidateQueries({ queryKey: ['settings-history'] });
  // Settings that hang on a toggle gain or lose their effect with it: then all are read.
  const all = changed.size > MOST_SINGLE_RECORDS || [...changed.values()].some((value) => typeof value === 'boolean');
  if (all) return cache.invalidateQueries({ queryKey: SETTINGS_QUERY });
  await Promise.all(
    [...changed.keys()].map((key) =>
      client
        .get('/settings/{key}', { path: { key } })
        .then((record) => patchCachedSetting(cache, key, record as Setting))
        // The event's value stays. The next load gets the rest.
        .catch(() => {}),
    ),
  );
}

/** Whether two JSON values are equal, ignoring the order of members. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  const left = a as Record<string, Json>;
  const right = b as Record<string, Json>;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length && keys.every((key) => key in right && sameJson(left[key], right[key]))
  );
}
