/** What is changed here and what somebody else stored meanwhile are both kept. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import type { View, ViewSettings } from './data';
import { difference, SAVE_AFTER_MS, ViewDrafts } from './drafts';

const view = (settings: ViewSettings, revision = 1): View => ({
  id: 'v',
  name: 'Board',
  kind: 'kanban',
  settings,
  revision,
});
let stored: View;
let held: View | undefined;
const save = vi.fn<(view: string, settings: ViewSettings, revision: number) => Promise<View>>();
const failed = vi.fn<(failure: unknown, settings: readonly string[]) => void>();
let drafts: ViewDrafts;

beforeEach(() => {
  vi.useFakeTimers();
  stored = view({ byColumn: 'c1' });
  held = stored;
  save.mockReset().mockImplementation((_, settings, revision) => {
    if (revision !== stored.revision) return Promise.reject(new ApiError(412, { code: 'stale-revision' }));
    stored = view(settings, revision + 1);
    return Promise.resolve(stored);
  });
  failed.mockReset();
  drafts = new ViewDrafts({
    held: () => held,
    save,
    reread: () => {
      held = stored;
      return Promise.resolve();
    },
    saved: (saved) => (held = saved),
    failed,
  });
});
afterEach(() => void vi.useRealTimers());

const set = (key: string, value: unknown) => (settings: ViewSettings) => ({ ...settings, [key]: value });

describe('settings that are not stored yet', () => {
  it('are shown at once and stored together, a moment later', async () => {
    drafts.edit('v', set('zoom', 'day'));
    drafts.edit('v', set('zoom', 'week'));
    expect(drafts.shown(stored).settings).toEqual({ byColumn: 'c1', zoom: 'week' });
    expect(save).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(save.mock.calls).toEqual([['v', { byColumn: 'c1', zoom: 'week' }, 1]]);
    expect(drafts.shown(stored)).toBe(stored);
  });

  it('are made again on what somebody else stored', async () => {
    drafts.edit('v', difference({ limits: { l1: 3 } }, { limits: { l1: 3, l2: 5 }, zoom: 'day' }));
    stored = view({ byColumn: 'c2', limits: { l1: 4 } }, 7);
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(stored).toEqual(view({ byColumn: 'c2', limits: { l1: 4, l2: 5 }, zoom: 'day' }, 8));
    expect(failed).not.toHaveBeenCalled();
  });

  it('that name a column which is gone are dropped, and that is said', async () => {
    const gone = new ApiError(404, { code: 'named-not-found' });
    save.mockImplementationOnce(() => Promise.reject(gone));
    drafts.edit('v', set('byColumn', 'c9'));
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(failed.mock.calls).toEqual([[gone, ['byColumn']]]);
    expect(drafts.shown(stored)).toBe(stored);
  });

  it('keep what is typed while they are being stored', async () => {
    save.mockImplementationOnce((_, settings) => {
      drafts.edit('v', set('name', 'typed meanwhile'));
      stored = view(settings, 2);
      return Promise.resolve(stored);
    });
    drafts.edit('v', set('zoom', 'day'));
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(stored.settings).toEqual({ byColumn: 'c1', zoom: 'day', name: 'typed meanwhile' });
  });

  it.each([0, 401, 503])('wait while the program takes none (%i)', async (status) => {
    save.mockRejectedValueOnce(new ApiError(status, {}));
    for (const zoom of ['day', 'week']) drafts.edit('v', set('zoom', zoom));
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(drafts.shown(stored).settings.zoom).toBe('week');
    await vi.advanceTimersByTimeAsync(10_000);
    expect([stored.settings.zoom, save.mock.calls.length, failed.mock.calls.length]).toEqual(['week', 2, 0]);
  });

  it('wait as long as the program says where it was asked too much', async () => {
    save.mockRejectedValueOnce(new ApiError(429, {}, 20));
    drafts.edit('v', set('zoom', 'day'));
    await vi.advanceTimersByTimeAsync(19_000);
    expect(save).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(stored.settings.zoom).toBe('day');
  });

  it('go where they are refused', async () => {
    drafts.edit('v', set('zoom', 'day'));
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    save.mockRejectedValueOnce(new ApiError(422, { code: 'invalid' }));
    drafts.edit('v', set('zoom', 'never'));
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(failed).toHaveBeenCalledOnce();
    expect(drafts.shown(stored).settings.zoom).toBe('day');
  });

  it('are stored at once for who waits for them, also what is typed while others are on their way', async () => {
    let answer = (_: View) => undefined as void;
    save.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    drafts.edit('v', set('zoom', 'day'));
    const first = drafts.save('v');
    drafts.edit('v', set('zoom', 'week'));
    const second = drafts.save('v');
    stored = view({ byColumn: 'c1', zoom: 'day' }, 2);
    answer(stored);
    await Promise.all([first, second]);
    expect(stored.settings.zoom).toBe('week');
    await drafts.save('v');
    expect(save).toHaveBeenCalledTimes(2);
  });

  it('are stored without those among them that are refused, which are named', async () => {
    const refusal = new ApiError(422, { code: 'invalid-input' });
    const whole = save.getMockImplementation()!;
    save.mockImplementation((id, settings, revision) =>
      settings.limits ? Promise.reject(refusal) : whole(id, settings, revision),
    );
    drafts.edit('v', set('zoom', 'day'));
    drafts.edit('v', set('limits', { l1: 2.5 }));
    for (const span of ['week', 'month', 'week', 'month', 'week', 'month']) drafts.edit('v', set('span', span));
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(stored.settings).toEqual({ byColumn: 'c1', zoom: 'day', span: 'month' });
    expect(failed.mock.calls).toEqual([[refusal, ['limits']]]);
    expect(drafts.shown(stored)).toBe(stored);
  });

  it('go with a view that was deleted', async () => {
    drafts.edit('v', set('zoom', 'day'));
    held = undefined;
    await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS);
    expect(save).not.toHaveBeenCalled();
    expect(drafts.shown(stored)).toBe(stored);
  });
});

describe('the difference of two settings', () => {
  it('leaves alone what it does not name', () => {
    const change = difference({ a: 1, b: [1], map: { x: 1, y: 2 }, gone: true }, { a: 1, b: [2], map: { x: 9 } });
    expect(change({ a: 5, map: { x: 1, y: 2, z: 3 }, gone: true, other: 'kept' })).toEqual({
      a: 5,
      b: [2],
      map: { x: 9, z: 3 },
      other: 'kept',
    });
  });
});
