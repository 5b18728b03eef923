import { QueryClientProvider, QueryObserver } from '@tanstack/react-query';
import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import { makeQueryClient } from '@shell/query';
import { SETTINGS_QUERY, type Json, type Setting } from '@shell/settings';
import { signInAnother } from '@shell/testing/signIn';

const live = vi.hoisted(() => ({ tell: (_: { key: string; value: unknown }) => {}, resync: () => {} }));
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  onEvent: (name: string, handler: typeof live.tell) => {
    if (name === 'setting-changed') live.tell = handler;
    return () => undefined;
  },
  onResync: (handler: () => void) => {
    live.resync = handler;
    return () => undefined;
  },
}));
const setting = {
  key: 'density',
  title: 'Density',
  value: 1,
  default: 0,
  modified: false,
  schema: { type: 'integer' },
} as unknown as Setting;
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    patch: (_: string, { value }: { value: Json }) =>
      Promise.resolve({ ...setting, value, previous: 1, changed: true, change: 'x1', applies: 'at-once' }),
  },
}));
const { useChangeSetting } = await import('./data');

const undo = () => screen.queryByRole('button', { name: 'Undo', hidden: true });
/** Changes the setting to each of the values, one after the other. */
async function change(...values: number[]) {
  const client = makeQueryClient();
  const { result } = renderHook(() => useChangeSetting(), {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  render(<ToastRegion />);
  for (const value of values) await act(() => result.current(setting, value));
}
const tell = (key: string, value: number) => act(() => live.tell({ key, value }));
beforeEach(() => live.resync());

it('what a setting’s message could take back is offered until the setting is changed elsewhere', async () => {
  await change(2, 3);
  // The page's own changes are told to it as well.
  tell('density', 2);
  tell('density', 3);
  tell('other', 9);
  expect(undo()).toBeTruthy();
  tell('density', 1);
  expect(undo()).toBeNull();
});

it('it stays where what was told of an own change is lost, or comes out of order', async () => {
  await change(2, 3, 4);
  tell('density', 4);
  tell('density', 3);
  expect(undo()).toBeTruthy();
});

it('what is not told of any more is forgotten when events were missed', async () => {
  await change(2, 3);
  act(() => live.resync());
  tell('density', 2);
  expect(undo()).toBeNull();
});

it('what one has sent is no change of who signs in next, and not theirs to take back', async () => {
  await change(2, 3);
  await act(signInAnother);
  expect(undo()).toBeNull();
  cleanup();
  await change(4);
  tell('density', 3);
  expect(undo()).toBeNull();
});

it.each([true, false])(
  'a reading that an own change cut off is made up for, one begun meanwhile too: %s',
  async (isBefore) => {
    const client = makeQueryClient();
    const { result } = renderHook(() => useChangeSetting(), {
      wrapper: ({ children }: { children: ReactNode }) => (
        <QueryClientProvider client={client}>{children}</QueryClientProvider>
      ),
    });
    client.setQueryData(SETTINGS_QUERY, { revision: 1, settings: [setting] });
    const answers: ((all: unknown) => void)[] = [];
    const stop = new QueryObserver(client, {
      queryKey: SETTINGS_QUERY,
      queryFn: () => new Promise<unknown>((resolve) => answers.push(resolve)),
      staleTime: Infinity,
    }).subscribe(() => {});
    // What is done after missed events.
    if (isBefore) void client.invalidateQueries();
    const made = act(() => result.current(setting, 5));
    if (!isBefore) void client.invalidateQueries();
    await made;
    answers[0]?.({ revision: 1, settings: [setting] });
    await waitFor(() => expect(answers).toHaveLength(2));
    const now = { revision: 2, settings: [{ ...setting, value: 5, title: 'As it is now' }] };
    answers[1]?.(now);
    await waitFor(() => expect(client.getQueryData(SETTINGS_QUERY)).toEqual(now));
    stop();
  },
);
