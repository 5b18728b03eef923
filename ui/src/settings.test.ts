import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { api } from './api';
import { makeQueryClient } from './query';
import {
  patchCachedSetting,
  sameJson,
  SETTINGS_QUERY,
  useLiveSettings,
  useSetting,
  type Setting,
  type Settings,
} from './settings';
import records from './testing/settings.json';

const live = vi.hoisted(() => new Map<string, (event: unknown) => void>());
vi.mock('./live', () => ({
  useLiveEvent: (name: string, handler: (event: unknown) => void) => void live.set(name, handler),
}));

describe('sameJson', () => {
  it.each([
    [1, 1, true],
    [1, '1', false],
    [null, {}, false],
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [undefined, null, false],
  ])('%j and %j: %s', (a, b, same) => expect(sameJson(a, b)).toBe(same));
});

it('changes one record of the cache and leaves the others as they are', () => {
  const client = new QueryClient();
  const settings = records as unknown as Setting[];
  client.setQueryData<Settings>(SETTINGS_QUERY, { revision: 5, settings });
  patchCachedSetting(client, 'alarmsEnabled', { value: false }, 6);
  const after = client.getQueryData<Settings>(SETTINGS_QUERY);
  expect(after?.revision).toBe(6);
  expect(after?.settings.find((s) => s.key === 'alarmsEnabled')?.value).toBe(false);
  expect(after?.settings.filter((s, i) => s !== settings[i])).toHaveLength(1);
  // An older revision does not take the newer one back.
  patchCachedSetting(client, 'alarmsEnabled', { value: true }, 3);
  expect(client.getQueryData<Settings>(SETTINGS_QUERY)?.revision).toBe(6);
});

it('follows settings of the installation, which no revision of the account counts', () => {
  const client = makeQueryClient();
  const settings = (records as unknown as Setting[]).filter(({ key }) => key === 'alarmsEnabled');
  client.setQueryData<Settings>(SETTINGS_QUERY, { revision: 5, settings });
  const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children);
  renderHook(() => useLiveSettings(), { wrapper });
  const held = () => client.getQueryData<Settings>(SETTINGS_QUERY);
  live.get('setting-changed')?.({ key: 'alarmsEnabled', value: false });
  expect([held()?.settings[0]?.value, held()?.revision]).toEqual([false, 5]);
  live.get('setting-changed')?.({ key: 'alarmsEnabled', value: true, revision: 4 });
  expect(held()?.settings[0]?.value).toBe(false);
  live.get('setting-changed')?.({ key: 'alarmsEnabled', value: true, revision: 6 });
  expect([held()?.settings[0]?.value, held()?.revision]).toEqual([true, 6]);
});

it('shows a change that was told while the settings were on their way', async () => {
  const answers: ((settings: Settings) => void)[] = [];
  vi.spyOn(api, 'get').mockImplementation(
    (() => new Promise<Settings>((resolve) => answers.push(resolve))) as typeof api.get,
  );
  const settings = (records as unknown as Setting[]).filter(({ key }) => key === 'alarmsEnabled');
  const as = (revision: number, value: boolean): Settings => ({
    revision,
    settings: settings.map((one) => ({ ...one, value })),
  });
  const client = makeQueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => createElement(QueryClientProvider, { client }, children);
  const { result } = renderHook(() => (useLiveSettings(), useSetting('alarmsEnabled')), { wrapper });
  live.get('setting-changed')?.({ key: 'alarmsEnabled', value: false, revision: 2 });
  answers[0]?.(as(1, true));
  await waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(as(2, false));
  await waitFor(() => expect(result.current).toBe(false));
  vi.restoreAllMocks();
});
