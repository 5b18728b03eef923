import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import { ToastRegion } from '@shell/components/toast';
import AgentBoardPage from './AgentBoardPage';
import FirstSession from './FirstSession';
import type { Line } from './data';
import { Shown } from './Shown';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));
/** What the page hears, by the name of the event. */
const hears = new Map<string, (data: unknown) => void>();
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  useLiveEvent: (name: string, hear: (data: unknown) => void) => void hears.set(name, hear),
}));

const line = (id: string, more: Partial<Line> = {}): Line => ({
  id,
  title: `Agent ${id}`,
  projectId: 'h',
  hub: 'Shop',
  engine: 'practice',
  state: 'running',
  why: '',
  since: '2026-01-02T03:04:05Z',
  needsYou: false,
  phase: '',
  done: null,
  total: null,
  parentId: null,
  ...more,
});

function draw(content: React.ReactNode) {
  const { hook, searchHook, history } = memoryLocation({ path: '/boards', record: true });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        {content}
        <ToastRegion />
      </Router>
    </QueryClientProvider>,
  );
  return history;
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
});
afterEach(() => void vi.restoreAllMocks());

it('shows a line for each agent and opens its session', async () => {
  const items = [
    line('1', { phase: '<b>Test</b>', done: 1, total: 3, needsYou: true, state: 'awaitingPermission' }),
    line('2'),
  ];
  // A session can need you for two reasons: the count is that of the queue.
  const needs = [{ id: 'n1' }, { id: 'n2' }];
  api.get.mockImplementation((path) =>
    Promise.resolve({ items: path === '/sessions/needs' ? needs : items, nextCursor: null }),
  );
  const history = draw(<AgentBoardPage />);
  const first = await screen.findByRole('row', { name: /Agent 1/ });
  expect(within(first).getByText('<b>Test</b>')).toBeTruthy();
  expect(within(first).getByText('To-do 1/3')).toBeTruthy();
  expect(within(first).getByText('Needs approval')).toBeTruthy();
  expect(screen.getByText('2 need you')).toBeTruthy();
  await userEvent.click(screen.getByRole('row', { name: /Agent 2/ }));
  expect(history.at(-1)).toBe('/sessions/2');
});

it('teaches what would stand there', async () => {
  api.get.mockResolvedValue({ items: [], nextCursor: null });
  draw(<AgentBoardPage />);
  expect(await screen.findByText('No agents yet')).toBeTruthy();
});

it('starts a practice session with one click, and says why where none started', async () => {
  api.post.mockRejectedValueOnce(new Error('no folder')).mockResolvedValueOnce({ id: 's9' });
  const history = draw(<FirstSession />);
  const button = screen.getByRole('button', { name: 'Start practice session' });
  await userEvent.click(button);
  expect(await screen.findByText("Couldn't start practice session")).toBeTruthy();
  expect(history.at(-1)).toBe('/boards');
  await userEvent.click(button);
  await waitFor(() => expect(history.at(-1)).toBe('/sessions/s9'));
});

const asked = () => act(() => hears.get('view-asked')?.({ rowId: 'r1' }));

it('does nothing without the focus, so that the note stays in the inbox', () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  const history = draw(<Shown />);
  asked();
  expect(api.post).not.toHaveBeenCalled();
  expect(history).toEqual(['/boards']);
});

it('shows a note to click where the view may not move', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  api.post.mockResolvedValue({
    title: 'Fix it wants to show you the inbox',
    path: '/inbox',
    moves: false,
    sessionId: 's',
  });
  const history = draw(<Shown />);
  asked();
  await screen.findByText('Fix it wants to show you the inbox');
  expect(history).toEqual(['/boards']);
  await userEvent.click(screen.getByRole('button', { name: 'Go there' }));
  expect(history.at(-1)).toBe('/inbox');
});

it('goes there at once where it may, with a way back', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  api.post.mockResolvedValue({
    title: 'Fix it wants to show you the settings',
    path: '/settings',
    moves: true,
    sessionId: 's',
  });
  const history = draw(<Shown />);
  asked();
  await waitFor(() => expect(history.at(-1)).toBe('/settings'));
  await userEvent.click(await screen.findByRole('button', { name: 'Go back' }));
  expect(history.at(-1)).toBe('/boards');
});

it('stays quiet where another window was quicker', async () => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  api.post.mockRejectedValue(
    new ApiError(409, { code: 'not-now', title: 'x', detail: 'y', status: 409, type: '' } as never),
  );
  const history = draw(<Shown />);
  asked();
  await waitFor(() => expect(api.post).toHaveBeenCalledTimes(1));
  expect(history).toEqual(['/boards']);
  expect(screen.queryByText("Couldn't open page")).toBeNull();
});
