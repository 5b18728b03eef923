import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectBoards } from './ConnectBoards';
import DashboardsPage from './DashboardsPage';

const post = vi.fn<(path: string) => Promise<unknown>>();
const get = vi.fn<(path: string, options?: { query: Record<string, unknown> }) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<typeof get>) => get(...args), post: (path: string) => post(path) },
}));
vi.mock('@shell/workspace', () => ({ useWorkspaces: () => ({ current: { id: 'w' } }) }));

const draw = (what: React.ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      {what}
    </QueryClientProvider>,
  );

beforeEach(() => get.mockReset());

describe('the list of dashboards', () => {
  it('is read to its last page', async () => {
    const dashboard = (id: string) => ({ id, name: `Dashboard ${id}`, revision: 1, updatedAt: '2026-03-01T12:00:00Z' });
    get.mockImplementation((path, options) =>
      Promise.resolve(
        path === '/dashboards/trash'
          ? { items: [], nextCursor: null }
          : options?.query.cursor
            ? { items: [dashboard('b')], nextCursor: null }
            : { items: [dashboard('a')], nextCursor: 'a' },
      ),
    );
    draw(<DashboardsPage />);
    expect(await screen.findByText('Dashboard b')).toBeTruthy();
    expect(screen.getByText('Dashboard a')).toBeTruthy();
    expect(get.mock.calls.flatMap(([path, options]) => (path === '/dashboards' ? [options?.query] : []))).toEqual([
      { workspaceId: 'w', limit: 1000, brief: true, cursor: undefined },
      { workspaceId: 'w', limit: 1000, brief: true, cursor: 'a' },
    ]);
  });
});

describe('deleted dashboards', () => {
  it('stand below the others with the way back', async () => {
    const deleted = {
      id: 'x',
      workspaceId: 'w',
      name: 'Old',
      at: '2026-03-01T12:00:00Z',
      deletedAt: '2026-03-31T12:00:00Z',
    };
    let isDeleted = true;
    get.mockImplementation((path) =>
      Promise.resolve({ items: path === '/dashboards/trash' && isDeleted ? [deleted] : [], nextCursor: null }),
    );
    post.mockImplementation(() => {
      isDeleted = false;
      return Promise.resolve({ id: 'x' });
    });
    draw(<DashboardsPage />);
    await userEvent.setup().click(await screen.findByLabelText('Restore Old'));
    await waitFor(() => expect(screen.queryByText('Old')).toBeNull());
    expect(post.mock.calls[0]![0]).toBe('/dashboards/x/restore');
    expect(location.pathname).toBe('/dashboards/x');
  });
});

describe('connecting boards', () => {
  it('says when more are chosen than a dashboard connects', async () => {
    const ids = Array.from({ length: 101 }, (_, n) => `b${n}`);
    const summary = (id: string) => ({ id, workspaceId: 'w', name: `Board ${id}`, revision: 1, itemCount: 1 });
    // The list of boards, and the board of agent sessions beside it.
    get.mockResolvedValue({ items: ids.map(summary), nextCursor: null, ...summary('sessions') });
    const onConnect = vi.fn();
    draw(<ConnectBoards workspaceId="w" connected={ids.slice(1)} onClose={() => {}} onConnect={onConnect} />);
    const user = userEvent.setup();
    await user.click(await screen.findByLabelText(/^Board b0/));
    expect(screen.getByRole('alert').textContent).toBe('A dashboard connects at most 100 boards; 101 are chosen.');
    expect(screen.getByText<HTMLButtonElement>('Connect 101 boards').disabled).toBe(true);
    await user.click(screen.getByLabelText(/^Board b1 ?1 item$/));
    expect(screen.queryByRole('alert')).toBeNull();
    await user.click(screen.getByText('Connect 100 boards'));
    expect(onConnect.mock.calls[0]![0]).toHaveLength(100);
  });
});
