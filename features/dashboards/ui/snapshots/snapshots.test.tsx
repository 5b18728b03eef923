/** Daily snapshots: what the dialog says and does, and what the engine is given. */
import { QueryClientProvider } from '@tanstack/react-query';
import { render, renderHook, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { makeQueryClient } from '@shell/query';
import type { BoardInfo, ConnectedBoards } from '../boards';
import type { Engine } from '../engine';
import { emptyConfig } from '../model';
import { useAnswers } from '../useAnswers';
import { useEarlyPast, usePast } from './data';
import { SnapshotsDialog } from './SnapshotsDialog';

let state = {
  on: false,
  since: null as string | null,
  until: null as string | null,
  days: 0,
  sprints: 0,
  bytes: 0,
  unreadable: 0,
};
const asked = vi.fn<(path: string) => void>();
const put = vi.fn((_path: string, { on }: { on: boolean }) => Promise.resolve((state = { ...state, on })));
const remove = vi.fn(() => Promise.resolve((state = { ...state, days: 0, sprints: 0, bytes: 0, unreadable: 0 })));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (path: string) => (asked(path), Promise.resolve(state)),
    put: (path: string, body: { on: boolean }) => put(path, body),
    delete: () => remove(),
  },
}));

beforeEach(() => {
  state = { on: false, since: null, until: null, days: 0, sprints: 0, bytes: 0, unreadable: 0 };
  asked.mockClear();
  put.mockClear();
  remove.mockClear();
});

const draw = () =>
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <SnapshotsDialog dashboardId="d" onClose={() => {}} />
    </QueryClientProvider>,
  );

it('are off until somebody switches them on, and say what they keep', async () => {
  draw();
  const toggle = await screen.findByRole<HTMLInputElement>('switch', { name: /Take daily sprint snapshots/ });
  expect(toggle.checked).toBe(false);
  expect(screen.getByRole('status').textContent).toContain('No snapshots.');
  await userEvent.click(toggle);
  await waitFor(() => expect(toggle.checked).toBe(true));
  expect(put).toHaveBeenCalledExactlyOnceWith('/dashboards/d/snapshots', { on: true });
  expect(screen.getByRole('status').textContent).toContain("Today's is taken at the end of the day.");
});

it('can be deleted where they cannot be read', async () => {
  state = { ...state, on: true, bytes: 40, unreadable: 1 };
  draw();
  expect((await screen.findByRole('alert')).textContent).toContain("Couldn't read snapshots of 1 board");
  await userEvent.click(screen.getByRole('button', { name: 'Delete snapshots' }));
  await userEvent.click(screen.getByRole('button', { name: 'Delete permanently' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect(remove).toHaveBeenCalledOnce();
});

it('are deleted only once that was said twice', async () => {
  state = { ...state, on: true, days: 8, sprints: 1, bytes: 2_300 };
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Delete snapshots' }));
  expect(screen.getByRole('status').textContent).toContain('Stored: 8 days of 1 sprint, 3 KB.');
  expect(remove).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Delete permanently' }));
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('No snapshots yet.'));
  expect(remove).toHaveBeenCalledOnce();
});

it('are given to the engine before it is asked, and named in the question', async () => {
  const calls: string[] = [];
  const query = vi.fn<Engine['query']>(() => Promise.resolve((calls.push('query'), [])));
  const setHistory = vi.fn<Engine['setHistory']>(() => void calls.push('history'));
  const load = () => Promise.resolve({ query, setHistory } as unknown as Engine);
  const board: BoardInfo = { id: 'b1', workspaceId: 'w', name: 'Team', revision: 1, itemCount: 2, columns: [] };
  const boards: ConnectedBoards = {
    infos: [board],
    missing: [],
    isLoading: false,
    failed: [],
    revision: '1',
    retry: () => {},
  };
  const history = { b1: [] };
  const config = { ...emptyConfig(), boardIds: ['b1'] };
  const useAsked = (past: Parameters<typeof useAnswers>[2]) => useAnswers(config, boards, past, load);
  const { rerender } = renderHook(useAsked, {
    initialProps: { name: 'd', history: null as unknown, isLoading: true },
    wrapper: ({ children }) => <QueryClientProvider client={makeQueryClient()}>{children}</QueryClientProvider>,
  });
  rerender({ name: 'd', history, isLoading: false });
  await waitFor(() => expect(query).toHaveBeenCalledOnce());
  expect(setHistory).toHaveBeenCalledWith('d', history);
  expect(query.mock.lastCall![0].history).toBe('d');
  expect(calls).toEqual(['history', 'query']);
});

it('what is remembered is asked for before there is a dashboard, and not once more with it', async () => {
  const client = makeQueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  renderHook(() => useEarlyPast('d'), { wrapper });
  expect(asked.mock.calls).toEqual([['/dashboards/d/snapshots/history']]);
  const { result } = renderHook(() => usePast('d'), { wrapper });
  await waitFor(() => expect(result.current.isLoading).toBe(false));
  expect(asked).toHaveBeenCalledTimes(1);
});
