import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { emptyConfig, type DashboardRecord, type JsonObject } from '../model';
import { useOpenDraft } from './useDraft';

const live = vi.hoisted(() => ({ tell: (_: { dashboardId: string; revision: number }) => {} }));
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  onEvent: (_: string, handler: typeof live.tell) => {
    live.tell = handler;
    return () => undefined;
  },
}));
const get = vi.fn<() => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({ ...(await original<object>()), api: { get: () => get() } }));

it.each([true, false])('a dashboard that is deleted while it is read, or after, is gone: %s', async (isEarly) => {
  let answer = (_: DashboardRecord) => {};
  get.mockReset().mockRejectedValue(new ApiError(404, { code: 'not-found' }));
  get.mockImplementationOnce(() => new Promise<DashboardRecord>((resolve) => (answer = resolve)));
  const client = new QueryClient();
  const { result } = renderHook(() => useOpenDraft('d'), {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  const deleted = () => live.tell({ dashboardId: 'd', revision: 0 });
  if (isEarly) deleted();
  answer({
    id: 'd',
    workspaceId: 'w',
    name: 'Team',
    config: emptyConfig() as unknown as JsonObject,
    revision: 3,
    createdAt: '',
    updatedAt: '',
  });
  await waitFor(() => expect(result.current.draft).not.toBeNull());
  if (!isEarly) deleted();
  await waitFor(() => expect(result.current.draft?.getView().saved.kind).toBe('gone'));
});
