import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import { resetTasks, undo } from './store';
import TasksPage from './TasksPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));

interface Caught {
  id: string;
  text: string;
  sessionId?: string | undefined;
  session: string;
  hubId?: string;
  caughtAt: string;
}

const caught = (id: string, more: Partial<Caught> = {}): Caught => ({
  ...{ id, text: `Follow-up ${id}`, sessionId: 's1', session: 'Fix the login', hubId: 'h1' },
  ...{ caughtAt: '2026-01-01T00:00:00Z', ...more },
});

/** What waits, as the program has it. */
let waiting: Caught[] = [];
let settled: Caught[] = [];
let answer = { enabled: true, needsModel: false };
let refusal: ApiError | null = null;
let sent: { path: string; body: unknown }[] = [];

function draw() {
  const { hook, searchHook, history } = memoryLocation({ path: '/tasks?view=caught', record: true });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        <TasksPage />
      </Router>
    </QueryClientProvider>,
  );
  return history;
}

const lines = () => screen.queryAllByRole('listitem').map((line) => line.getAttribute('aria-label'));
const button = (name: string) => screen.findByRole('button', { name });

function settle(id: string) {
  const one = waiting.find((of) => of.id === id);
  waiting = waiting.filter((of) => of.id !== id);
  if (one) settled.push(one);
}

beforeEach(() => {
  cleanup();
  resetTasks();
  for (const send of Object.values(api)) send.mockReset();
  [waiting, settled, sent, refusal] = [[caught('a'), caught('b'), caught('c')], [], [], null];
  answer = { enabled: true, needsModel: false };
  api.get.mockImplementation((path) => {
    const answers: Record<string, unknown> = {
      '/tasks/changes': { tasks: [], revision: 1, more: false, all: true },
      '/tasks/caught': { items: waiting, ...answer },
      '/tasks/files': { items: [] },
      '/hubs': { items: [{ id: 'h1', name: 'Site' }], nextCursor: null },
    };
    return Promise.resolve(answers[path]);
  });
  api.post.mockImplementation((path, body) => {
    if (path === '/tasks/understand')
      return Promise.resolve({ text: (body as { text: string }).text, due: null, dueWords: '', priority: null });
    sent.push({ path, body });
    if (refusal) return Promise.reject(refusal);
    const [, id, verb] = /^\/tasks\/caught\/(?:(\w+)\/)?(\w+)$/.exec(path) ?? [];
    if (verb === 'restore') {
      waiting = [settled.find((of) => of.id === id)!, ...waiting];
      return Promise.resolve({});
    }
    const ids = id === undefined ? (body as { caughtIds: string[] }).caughtIds : [id];
    ids.forEach(settle);
    return Promise.resolve({ tasks: [], caughtIds: ids });
  });
});

it('lists what was caught with its session, and counts it', async () => {
  draw();
  await screen.findByText('Follow-up a');
  expect(screen.getByRole('button', { name: 'Caught (3)' }).getAttribute('aria-pressed')).toBe('true');
  const line = screen.getByRole('listitem', { name: 'Follow-up a' });
  expect(within(line).getByRole('link', { name: 'Fix the login' }).getAttribute('href')).toBe('/sessions/s1');
  expect(within(line).getByText(/in Site/)).toBeTruthy();
  expect(screen.queryByRole('textbox', { name: 'Add task' })).toBeNull();
});

it('shows a text as text, whatever it is', async () => {
  waiting = [
    caught('a', { text: '<a href="https://evil.example">[x](https://evil.example)</a>', sessionId: undefined }),
  ];
  draw();
  const line = await screen.findByRole('listitem');
  expect(within(line).getByText(waiting[0]!.text)).toBeTruthy();
  expect(within(line).queryAllByRole('link')).toHaveLength(0);
});

it('accepts, edits, and dismisses by mouse, and undoes each', async () => {
  draw();
  await userEvent.click(await button('Accept Follow-up a'));
  await waitFor(() => expect(lines()).toEqual(['Follow-up b', 'Follow-up c']));
  await userEvent.click(await button('Dismiss Follow-up b'));
  await waitFor(() => expect(lines()).toEqual(['Follow-up c']));
  await userEvent.click(await button('Edit Follow-up c'));
  await userEvent.type(screen.getByRole('textbox', { name: 'Task' }), ' soon{Enter}');
  await screen.findByText('Nothing caught');
  expect(sent).toEqual([
    { path: '/tasks/caught/a/accept', body: {} },
    { path: '/tasks/caught/b/dismiss', body: {} },
    { path: '/tasks/caught/c/accept', body: { text: 'Follow-up c soon', plain: false } },
  ]);
  await undo();
  await waitFor(() => expect(lines()).toEqual(['Follow-up c']));
  await undo();
  await undo();
  await waitFor(() => expect(lines()).toEqual(['Follow-up a', 'Follow-up b', 'Follow-up c']));
});

it('works by keyboard alone, and the focus stays in the list', async () => {
  draw();
  (await button('Accept Follow-up a')).focus();
  await userEvent.keyboard('{ArrowDown}{Delete}');
  await waitFor(() => expect(lines()).toEqual(['Follow-up a', 'Follow-up c']));
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Accept Follow-up c'));
  await userEvent.keyboard('e');
  const field = await screen.findByRole('textbox', { name: 'Task' });
  expect(document.activeElement).toBe(field);
  await userEvent.keyboard(' a{Escape}');
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Accept Follow-up c'));
  expect(sent).toHaveLength(1);
  await userEvent.keyboard('a');
  await waitFor(() => expect(lines()).toEqual(['Follow-up a']));
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Accept Follow-up a'));
  await userEvent.keyboard('{Enter}');
  await screen.findByText('Nothing caught');
  await userEvent.keyboard('{Control>}z{/Control}');
  await waitFor(() => expect(lines()).toEqual(['Follow-up a']));
});

it('accepts all that are shown, and one undo brings all back in order', async () => {
  draw();
  await userEvent.click(await button('Accept all'));
  await screen.findByText('Nothing caught');
  expect(sent).toEqual([{ path: '/tasks/caught/accept', body: { caughtIds: ['a', 'b', 'c'] } }]);
  await undo();
  await waitFor(() => expect(lines()).toEqual(['Follow-up a', 'Follow-up b', 'Follow-up c']));
});

it('keeps what Pilothouse rejects, and says why', async () => {
  refusal = new ApiError(409, { title: 'No', detail: 'Dismissed.', code: 'caught-settled' } as never);
  draw();
  await userEvent.click(await button('Accept Follow-up a'));
  await waitFor(() => expect(sent).toHaveLength(1));
  await waitFor(() => expect(lines()).toHaveLength(3));
});

it('says what is needed when nothing can be caught', async () => {
  waiting = [];
  answer = { enabled: true, needsModel: true };
  let history = draw();
  await userEvent.click(await button('Open models'));
  expect(history.at(-1)).toBe('/models');
  cleanup();
  answer = { enabled: false, needsModel: false };
  history = draw();
  await userEvent.click(await button('View setting'));
  expect(history.at(-1)).toBe('/settings?key=tasksV2CatchesEnabled');
});
