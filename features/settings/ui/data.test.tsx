import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, renderHook, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import { makeQueryClient } from '@shell/query';
import type { Json, Setting } from '@shell/settings';

const live = vi.hoisted(() => ({ tell: (_: { key: string; value: unknown }) => {} }));
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  onEvent: (name: string, handler: typeof live.tell) => {
    if (name === 'setting-changed') live.tell = handler;
    return () => undefined;
  },
}));
const setting = { key: 'density', title: 'Density', value: 1, default: 0, modified: false, schema: { type: 'integer' } } as unknown as Setting;
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { patch: (_: string, { value }: { value: Json }) => Promise.resolve({ ...setting, value, previous: 1, changed: true, change: 'x1', applies: 'at-once' }) },
}));
const { useChangeSetting } = await import('./data');

it('what a setting’s message could take back is offered until the setting is changed elsewhere', async () => {
  const client = makeQueryClient();
  const { result } = renderHook(() => useChangeSetting(), { wrapper: ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider> });
  render(<ToastRegion />);
  await act(() => result.current(setting, 2));
  await act(() => result.current(setting, 3));
  const undo = () => screen.queryByRole('button', { name: 'Undo', hidden: true });
  // The page's own changes are told to it as well.
  act(() => live.tell({ key: 'density', value: 2 }));
  act(() => live.tell({ key: 'density', value: 3 }));
  act(() => live.tell({ key: 'other', value: 9 }));
  expect(undo()).toBeTruthy();
  act(() => live.tell({ key: 'density', value: 1 }));
  expect(undo()).toBeNull();
});
