import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { patchCachedSetting, sameJson, SETTINGS_QUERY, type Setting, type Settings } from './settings';
import records from './testing/settings.json';

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
