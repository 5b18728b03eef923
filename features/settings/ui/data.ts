/** Changes and their history. */
import { useInfiniteQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { onEvent, onResync } from '@shell/live';
import { perSignIn } from '@shell/session';
import {
  patchCachedSetting,
  sameJson,
  SETTINGS_QUERY,
  type Json,
  type Setting,
  type SettingChanged,
} from '@shell/settings';
import { DAY_MS } from '@shell/dates';
import { inWords } from './model';

/** One change in the history; `from` is null where the default held, `to` where it holds again. */
export type Change = Schemas['HistoryEntry'];

/** The history of one setting, or of all with `key` null; newest first, page by page. */
export function useHistory(key: string | null, enabled = true) {
  return useInfiniteQuery({
    queryKey: ['settings-history', key],
    queryFn: ({ pageParam, signal }) =>
      client.get('/settings/history', { query: { key, cursor: pageParam, limit: 100 }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled,
  });
}

/** Keys that were changed in the last day. */
export function useRecentKeys(enabled: boolean): ReadonlySet<string> {
  const { data } = useHistory(null, enabled);
  return useMemo(() => {
    const since = Date.now() - DAY_MS;
    const changes = data?.pages.flatMap((page) => page.items) ?? [];
    return new Set(changes.filter((change) => Date.parse(change.at) > since).map((change) => change.key));
  }, [data]);
}

/** Why a change was refused: shown at its field. Null when it was taken. */
export type Refusal = string | null;

/** What the last message is of, and how it goes. */
let last: { key: string; dismiss: () => void } | null = null;
/** Values that this page has sent: that they were changed is no news to it. */
const sent = new Map<string, Json[]>();

onEvent<{ key: string; value: Json }>('setting-changed', ({ key, value }) => {
  const own = sent.get(key) ?? [];
  // Not only the first: what was told of an earlier one may be lost, or come later.
  const at = own.findIndex((one) => sameJson(one, value));
  if (at >= 0) own.splice(at, 1);
  // Changed again elsewhere, or put back, it is not what the message could take back.
  else if (last?.key === key) last.dismiss();
});

// What was to be told before is told no more.
onResync(() => sent.clear());
perSignIn(() => sent.clear());

/** Says what was changed; a newer one takes its place, so that they do not pile up. */
function announce(cache: QueryClient, record: SettingChanged) {
  last?.dismiss();
  const change = record.change;
  const from = inWords(record.schema, record.previous, record.unit);
  const to = inWords(record.schema, record.value, record.unit);
  const dismiss = toast.done(record.title, {
    detail:
      record.applies === 'next-start' && record.pendingRestart
        ? `${from} to ${to}, after a restart`
        : `${from} to ${to}`,
    ...(change ? { undo: () => undo(cache, record, change) } : {}),
  });
  last = { key: record.key, dismiss };
}

/** Takes a change back; where the setting was changed again since, only after asking. */
export async function undo(cache: QueryClient, setting: Pick<Setting, 'key' | 'title'>, change: string, force = false) {
  try {
    await client.post('/settings/undo', { body: { change, force } });
    toast.done(`${setting.title}: change undone`);
  } catch (error) {
    const isOlder = error instanceof ApiError && error.status === 409;
    const anyway = { label: 'Undo anyway', run: () => undo(cache, setting, change, true) };
    toast.problem(`Couldn't undo change to ${setting.title}`, error, isOlder ? anyway : undefined);
  }
  await Promise.all([
    cache.invalidateQueries({ queryKey: SETTINGS_QUERY }),
    cache.invalidateQueries({ queryKey: ['settings-history'] }),
  ]);
}

/**
 * Changes one setting. The page shows the new value at once; if the program refuses, the old one comes back and the
 * program's reason is returned.
 */
export function useChangeSetting() {
  const cache = useQueryClient();
  return useCallback(
    async (setting: Setting, value: Json, reset = false): Promise<Refusal> => {
      const wanted = reset ? setting.default : value;
      if (!reset && sameJson(wanted, setting.value)) return null;
      const before = { value: setting.value, modified: setting.modified };
      const isBeingRead = () => cache.isFetching({ queryKey: SETTINGS_QUERY }) > 0;
      let isOld = isBeingRead();
      await cache.cancelQueries({ queryKey: SETTINGS_QUERY });
      patchCachedSetting(cache, setting.key, { value: wanted, modified: !reset });
      const own = sent.get(setting.key) ?? [];
      sent.set(setting.key, [...own, wanted]);
      const forget = () =>
        sent.set(
          setting.key,
          (sent.get(setting.key) ?? []).filter((one) => one !== wanted),
        );
      try {
        const path = { key: setting.key };
        const answer = (
          reset
            ? await client.delete('/settings/{key}', { path })
            : await client.patch('/settings/{key}', { path, body: { value } })
        ) as SettingChanged;
        const { previous: _previous, changed, change: _change, ...record } = answer;
        patchCachedSetting(cache, setting.key, record);
        if (changed) announce(cache, answer);
        else forget();
        // Whether others have an effect may hang on this one.
        isOld ||= typeof record.value === 'boolean';
        void cache.invalidateQueries({ queryKey: ['settings-history'] });
        return null;
      } catch (error) {
        forget();
        patchCachedSetting(cache, setting.key, before);
        return error instanceof ApiError ? error.reasonAt('/value') : reasonOf(error);
      } finally {
        // What was being read may have been read for another's change; what is being read may know nothing of this one.
        if (isOld || isBeingRead()) void cache.invalidateQueries({ queryKey: SETTINGS_QUERY });
      }
    },
    [cache],
  );
}
