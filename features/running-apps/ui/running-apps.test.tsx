import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { noteOf, stateOf, type RunningApp } from './data';
import RunningAppsPage from './RunningAppsPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'delete'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));

const UP: RunningApp = {
  id: 'a1',
  name: 'web',
  url: 'http://web.localhost:19521/',
  state: 'up',
  pid: 42,
  uptimeSeconds: 5,
  hubId: 'h1',
  hubName: 'Site',
  folder: '/site',
  branch: null,
  command: 'npm run dev',
  port: 4000,
  listensOn: 4000,
  startedAt: '2026-03-01T12:00:00.000Z',
  endedAt: null,
  exitCode: null,
  wasStopped: false,
};
const ENDED: RunningApp = { ...UP, id: 'a2', name: 'api', state: 'ended', pid: null, listensOn: null, exitCode: 1 };
let apps: RunningApp[] = [];

function draw() {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <RunningAppsPage />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  apps = [UP, ENDED];
  api.get.mockImplementation((path) => {
    if (path.startsWith('/hubs')) return Promise.resolve({ items: [{ id: 'h1', name: 'Site' }], nextCursor: null });
    if (path.includes('/logs')) return Promise.resolve({ first: 1, lines: ['ready', 'GET /'] });
    return Promise.resolve({ items: apps, nextCursor: null });
  });
});

it('says what became of an app', () => {
  expect([UP, ENDED, { ...ENDED, wasStopped: true }, { ...ENDED, exitCode: null }].map(stateOf)).toEqual([
    'Up',
    'Ended with exit code 1',
    'Stopped',
    'Ended',
  ]);
  expect(noteOf(UP)).toBeNull();
  expect(noteOf({ ...UP, listensOn: 5173 })).toBe('Ignores PORT (4000) and listens on 5173. Its URL points there.');
  expect(noteOf({ ...UP, state: 'down', listensOn: null })).toBe('Running, but not listening on a port');
});

it('links to apps, shows a log, and offers what fits their state', async () => {
  draw();
  const links = await screen.findAllByRole('link', { name: 'http://web.localhost:19521/' });
  expect(links[0]?.getAttribute('target')).toBe('_blank');
  await userEvent.click(screen.getByRole('button', { name: 'Log of web' }));
  expect((await screen.findByRole('region', { name: 'Log of web' })).textContent).toBe('ready\nGET /');
  await userEvent.click(screen.getByRole('button', { name: 'Stop web' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/apps/a1/stop'));
  await userEvent.click(screen.getByRole('button', { name: 'Restart api' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/apps/a2/restart'));
  await userEvent.click(screen.getByRole('button', { name: 'Remove api' }));
  await waitFor(() => expect(api.delete.mock.lastCall?.[0]).toBe('/apps/a2'));
  expect(screen.queryByRole('button', { name: 'Stop api' })).toBeNull();
});

it('starts an app in a hub, and keeps the form open with the reason of a rejection', async () => {
  apps = [];
  draw();
  expect(await screen.findByText('No running apps')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Start app' }));
  await userEvent.type(await screen.findByLabelText('Name'), 'web');
  await userEvent.type(screen.getByLabelText('Command'), 'npm run dev');
  api.post.mockRejectedValueOnce(new Error('web is running.'));
  await userEvent.click(screen.getByRole('button', { name: 'Start' }));
  expect(await screen.findByText(/web is running/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Start' }));
  const body = { hubId: 'h1', name: 'web', commandLine: 'npm run dev' };
  await waitFor(() => expect(api.post).toHaveBeenCalledTimes(2));
  expect(api.post).toHaveBeenLastCalledWith('/apps', body);
  await waitFor(() => expect(screen.queryByLabelText('Command')).toBeNull());
});
