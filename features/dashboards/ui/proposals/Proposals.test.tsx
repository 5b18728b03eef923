import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Draft } from '../draft/draft';
import type { DashboardRecord } from '../model';
import { Proposals } from './Proposals';

type Call = (path: string, body?: unknown) => Promise<unknown>;
const calls = { get: vi.fn<Call>(), post: vi.fn<Call>(), put: vi.fn<Call>(), delete: vi.fn<Call>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    ['get', 'post', 'put', 'delete'].map((name) => [
      name,
      (...args: Parameters<Call>) => calls[name as keyof typeof calls](...args),
    ]),
  ),
}));
const events = new Map<string, (data: unknown) => void>();
vi.mock('@shell/live', () => ({
  useConnection: () => 'live',
  onResync: () => () => {},
  onEvent: (name: string, handler: (data: unknown) => void) => {
    events.set(name, handler);
    return () => events.delete(name);
  },
}));

const record = (revision: number, name: string): DashboardRecord => ({
  id: 'd',
  workspaceId: 'w',
  name,
  config: { boardIds: [], widgets: [] },
  revision,
  createdAt: '',
  updatedAt: '',
});
const proposal = (id: string, changes: string[], state = 'open') => ({
  id,
  state,
  changes,
  sessionId: null,
  createdAt: '2026-03-01T12:00:00Z',
  decidedAt: null,
});

/** The page with a draft that reads `stored`. */
function show(stored: { now: DashboardRecord }) {
  const draft = new Draft('d', stored.now, {
    read: () => Promise.resolve(stored.now),
    write: () => new Promise(() => {}),
    drafts: {
      keyOf: () => 'draft',
      write: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    } as never,
    now_ms: () => 0,
    onReplaced: () => {},
    onLeft: () => {},
    onClash: () => {},
  });
  const { unmount } = render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Proposals id="d" draft={draft} />
    </QueryClientProvider>,
  );
  return { draft, unmount };
}

beforeEach(() => {
  Object.values(calls).forEach((call) => call.mockReset());
  calls.put.mockResolvedValue({ renewMs: 30_000 });
  calls.delete.mockResolvedValue(undefined);
});

describe('proposals of agents', () => {
  it('stand there in words, and are laid onto the draft once accepted', async () => {
    const list = [proposal('p1', ['Adds the widget Costs (numbers).']), proposal('p0', ['Renames it.'], 'declined')];
    calls.get.mockImplementation(() => Promise.resolve({ items: list.map((one) => ({ ...one })), nextCursor: null }));
    const stored = { now: record(1, 'Team') };
    calls.post.mockImplementation(() => {
      stored.now = record(2, 'Crew');
      list[0]!.state = 'accepted';
      return Promise.resolve(stored.now);
    });
    const { draft } = show(stored);
    expect(await screen.findByText('Adds the widget Costs (numbers).')).toBeTruthy();
    expect(screen.queryByText('Renames it.')).toBeNull();
    await userEvent.setup().click(screen.getByText('Accept'));
    await waitFor(() => expect(screen.queryByText('Adds the widget Costs (numbers).')).toBeNull());
    expect(calls.post.mock.calls[0]![0]).toBe('/dashboards/d/proposals/p1/accept');
    expect(draft.getView().doc.name).toBe('Crew');
    draft.undo();
    expect(draft.getView().doc.name).toBe('Team');
  });

  it('are read again when the program tells of one, and nothing changes when one is declined', async () => {
    let items: object[] = [];
    calls.get.mockImplementation(() => Promise.resolve({ items, nextCursor: null }));
    calls.post.mockResolvedValue(record(1, 'Team'));
    const { draft } = show({ now: record(1, 'Team') });
    await waitFor(() => expect(calls.get).toHaveBeenCalledTimes(1));
    items = [
      proposal(
        'p1',
        Array.from({ length: 9 }, (_, n) => `Change ${n}`),
      ),
    ];
    events.get('dashboard-proposal-changed')!({ dashboardId: 'other' });
    events.get('dashboard-proposal-changed')!({ dashboardId: 'd' });
    const user = userEvent.setup();
    await user.click(await screen.findByText('Show 1 more'));
    expect(screen.getByText('Change 8')).toBeTruthy();
    items = [];
    await user.click(screen.getByText('Decline'));
    await waitFor(() => expect(screen.queryByText('Change 8')).toBeNull());
    expect(calls.post.mock.calls[0]![0]).toBe('/dashboards/d/proposals/p1/decline');
    expect(draft.getView().doc.name).toBe('Team');
    expect(calls.get).toHaveBeenCalledTimes(3);
  });

  it('come about while the page says that it has the dashboard open, which it takes back', async () => {
    calls.get.mockResolvedValue({ items: [], nextCursor: null });
    const { unmount } = show({ now: record(1, 'Team') });
    await waitFor(() => expect(calls.put).toHaveBeenCalledTimes(1));
    const [path] = calls.put.mock.calls[0]!;
    expect(path).toMatch(/^\/dashboards\/d\/windows\/[0-9a-f-]{36}$/);
    unmount();
    expect(calls.delete.mock.calls.map(([closed]) => closed)).toEqual([path]);
  });
});
