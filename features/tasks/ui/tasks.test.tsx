import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import { takeOffered, takeWhenStarted } from '@shell/newSession';
import { setPreference } from '@shell/preferences';
import type { Task, TaskEdit } from './model';
import { resetTasks } from './store';
import TasksPage from './TasksPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));
const settings: Record<string, unknown> = {};
vi.mock('@shell/settings', async (original) => ({
  ...(await original<object>()),
  useSetting: (key: string) => settings[key],
}));

const task = (id: string, place: number, more: Partial<Task> = {}): Task => ({
  ...{ id, revision: 1, text: `Task ${id}`, state: 'open', place },
  ...{ createdAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' },
  ...more,
});

let tasks: Task[] = [];
/** What refuses the next edit. */
let refusal: ApiError | null = null;

function draw(path = '/tasks') {
  const { hook, searchHook, history } = memoryLocation({ path, record: true });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        <TasksPage />
      </Router>
    </QueryClientProvider>,
  );
  return history;
}

const sent = (): TaskEdit[] =>
  api.post.mock.calls
    .filter(([path]) => path === '/tasks/edit')
    .flatMap(([, body]) => (body as { edits: TaskEdit[] }).edits);
const rows = () => screen.getAllByRole('row').filter((row) => row.dataset.key);
const shown = () =>
  rows().map((row) => `${'-'.repeat(Number(row.getAttribute('aria-level')) - 1)}${row.getAttribute('aria-label')}`);
const row = (name: string) => screen.getByRole('row', { name });
async function focus(name: string) {
  await screen.findByRole('row', { name });
  await userEvent.click(within(row(name)).getByText(name));
  await waitFor(() => expect(document.activeElement).toBe(row(name)));
}

beforeEach(() => {
  cleanup();
  resetTasks();
  for (const send of Object.values(api)) send.mockReset();
  setPreference('tasks.collapsed', null);
  for (const key of Object.keys(settings)) delete settings[key];
  refusal = null;
  tasks = [
    task('a', 10),
    task('b', 20),
    task('b1', 5, { parentId: 'b' }),
    task('b2', 6, { parentId: 'b', state: 'done' }),
  ];
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(600);
  api.get.mockImplementation((path) => {
    const answers: Record<string, unknown> = {
      '/tasks/changes': { tasks, revision: 5, more: false, all: true },
      '/tasks/caught': { items: [], enabled: true, needsModel: false },
      '/hubs': { items: [{ id: 'h1', name: 'Site' }], nextCursor: null },
      '/tasks/a/session': { sessionId: 's1', title: 'S', state: 'Finished', needsYou: false, result: 'All fixed.' },
    };
    return Promise.resolve(answers[path]);
  });
  api.post.mockImplementation((path, body) => {
    if (path === '/tasks/understand') {
      const { text, was = '' } = body as { text: string; was?: string };
      const has = text.endsWith(' tomorrow') && !was.endsWith(' tomorrow');
      return Promise.resolve({
        ...{ text: has ? text.replace(' tomorrow', '') : text, due: has ? '2099-01-02' : null },
        ...{ dueWords: has ? 'tomorrow' : '', priority: null },
      });
    }
    if (refusal) return Promise.reject(refusal);
    return Promise.resolve({ revision: 6, tasks: [], conflicts: [] });
  });
});

it('shows the outline with progress, and moves, nests, and folds by keyboard', async () => {
  draw();
  await focus('Task b');
  expect(shown()).toEqual(['Task a', 'Task b', '-Task b1', '-Task b2']);
  expect(within(row('Task b')).getByText('1/2')).toBeTruthy();
  await userEvent.keyboard('{ArrowLeft}');
  expect(shown()).toEqual(['Task a', 'Task b']);
  await userEvent.keyboard('{ArrowRight}{Alt>}{ArrowUp}{/Alt}');
  expect(shown()).toEqual(['Task b', '-Task b1', '-Task b2', 'Task a']);
  await focus('Task a');
  await userEvent.keyboard('{Tab}');
  expect(shown()).toEqual(['Task b', '-Task b1', '-Task b2', '-Task a']);
  await waitFor(() => expect(document.activeElement).toBe(row('Task a')));
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}');
  expect(shown()).toEqual(['Task b', '-Task b1', '-Task b2', 'Task a']);
  await waitFor(() => expect(sent()).toHaveLength(3));
  expect(sent()[1]).toMatchObject({ action: 'move', taskId: 'a', parentId: 'b' });
});

it('adds below with Enter, nests with Tab, and undoes', async () => {
  draw();
  await focus('Task a');
  await userEvent.keyboard('{Enter}');
  const field = await screen.findByRole('textbox', { name: 'New task' });
  await userEvent.type(field, 'first{Enter}');
  await userEvent.type(screen.getByRole('textbox', { name: 'New task' }), '{Tab}below it{Enter}{Escape}');
  expect(shown().slice(0, 4)).toEqual(['Task a', 'First', '-Below it', 'Task b']);
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[0]).toMatchObject({ action: 'add', text: 'First', afterId: 'a', plain: false });
  expect(sent()[1]).toMatchObject({ action: 'add', text: 'Below it', parentId: sent()[0]!.taskId });
  await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('row'));
  await userEvent.keyboard('{Control>}z{/Control}');
  expect(shown().slice(0, 3)).toEqual(['Task a', 'First', 'Task b']);
  await waitFor(() => expect(sent().at(-1)).toMatchObject({ action: 'delete', taskId: sent()[1]!.taskId }));
});

it('finishes a parent with what is below it, and one undo reopens all of it', async () => {
  draw();
  await focus('Task b');
  await userEvent.keyboard(' ');
  expect(row('Task b1').dataset.state).toBe('done');
  await userEvent.keyboard('{Control>}z{/Control}');
  expect([row('Task b').dataset.state, row('Task b1').dataset.state, row('Task b2').dataset.state]).toEqual([
    ...['open', 'open', 'done'],
  ]);
});

it('deletes several at once and restores them', async () => {
  draw();
  await focus('Task a');
  await userEvent.keyboard('x{ArrowDown}x{Delete}');
  await waitFor(() => expect(screen.queryAllByRole('row')).toHaveLength(0));
  await waitFor(() =>
    expect(sent().map(({ action, taskId }) => `${action} ${taskId}`)).toEqual(['delete a', 'delete b']),
  );
  await userEvent.keyboard('{Control>}z{/Control}');
  await waitFor(() =>
    expect(
      sent()
        .slice(2)
        .map(({ action }) => action),
    ).toEqual(['restore', 'restore']),
  );
});

it('shows the day that a text mentions, and Escape keeps the words', async () => {
  draw();
  const field = await screen.findByRole('textbox', { name: 'Add task' });
  await userEvent.type(field, 'call anna tomorrow');
  expect(await screen.findByText('Jan 2, 2099')).toBeTruthy();
  await userEvent.type(field, '{Escape}');
  expect(screen.queryByText('Jan 2, 2099')).toBeNull();
  await userEvent.type(field, '{Enter}');
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({ text: 'Call anna tomorrow', plain: true });
});

it('understands a day that an edit adds, not one that was there, and Escape keeps the words', async () => {
  tasks[0] = task('a', 10, { text: 'Call anna tomorrow' });
  draw();
  await focus('Call anna tomorrow');
  await userEvent.keyboard('e');
  let field = await screen.findByRole('textbox', { name: 'Task' });
  await userEvent.type(field, 'x{Backspace}');
  await userEvent.type(field, '{Home}Re: ', { initialSelectionStart: 0, initialSelectionEnd: 0 });
  expect(screen.queryByText('Jan 2, 2099')).toBeNull();
  await userEvent.type(field, '{Enter}');
  await waitFor(() => expect(sent()).toHaveLength(1));

  await focus('Task b');
  await userEvent.keyboard('e');
  field = await screen.findByRole('textbox', { name: 'Task' });
  await userEvent.type(field, ' tomorrow');
  expect(await screen.findByText('Jan 2, 2099')).toBeTruthy();
  await userEvent.type(field, '{Enter}');
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toMatchObject({ taskId: 'b', text: 'Task b tomorrow', understand: true });
  await userEvent.keyboard('{Escape}');

  await focus('Task b1');
  await userEvent.keyboard('e');
  field = await screen.findByRole('textbox', { name: 'Task' });
  await userEvent.type(field, ' tomorrow');
  expect(await screen.findByText('Jan 2, 2099')).toBeTruthy();
  await userEvent.type(field, '{Escape}');
  expect(screen.queryByText('Jan 2, 2099')).toBeNull();
  await userEvent.type(field, '{Enter}');
  await waitFor(() => expect(sent()).toHaveLength(3));
  expect(sent()[2]).toMatchObject({ taskId: 'b1', text: 'Task b1 tomorrow', understand: false });
});

it('capitalizes while typing unless that is off, and one undo restores the letter', async () => {
  settings.autoCapitalizeTasks = true;
  draw();
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Add task' });
  await userEvent.type(field, 'call ');
  expect(field.value).toBe('Call ');
  fireEvent.keyDown(field, { key: 'z', ctrlKey: true });
  expect(field.value).toBe('call ');
  await userEvent.type(field, 'anna. then ');
  expect(field.value).toBe('call anna. Then ');
  cleanup();
  settings.autoCapitalizeTasks = false;
  draw();
  const plain = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Add task' });
  await userEvent.type(plain, 'call ');
  expect(plain.value).toBe('call ');
});

it('obeys the settings of checkboxes, density, and completed tasks', async () => {
  draw();
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Finish Task a' }));
  expect(row('Task a').dataset.state).toBe('done');
  cleanup();
  resetTasks();
  Object.assign(settings, { tasksV2CheckboxSelects: true, tasksV2CompactDensity: true, tasksV2HideCompleted: true });
  draw();
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Finish Task a' }));
  expect(row('Task a').dataset.state).toBe('open');
  expect(row('Task a').dataset.compact).toBe('true');
  expect(screen.getByRole('button', { name: 'Drop' })).toBeTruthy();
  expect(shown()).toEqual(['Task a', 'Task b', '-Task b1']);
});

it('undoes a change that Pilothouse rejects', async () => {
  draw();
  await focus('Task a');
  refusal = new ApiError(409, { title: 'No', detail: 'Too deep.', code: 'tasks-too-deep' } as never);
  await userEvent.keyboard(' ');
  await waitFor(() => expect(sent()).toHaveLength(1));
  await waitFor(() => expect(row('Task a').dataset.state).toBe('open'));
});

it('starts a session with the text, and shows its result', async () => {
  tasks[0] = task('a', 10, { hubId: 'h1' });
  const history = draw();
  await focus('Task a');
  await userEvent.click(within(row('Task a')).getByRole('button', { name: 'Actions for Task a' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: /Start session/ }));
  expect(history.at(-1)).toBe('/sessions?new=h1');
  expect(takeOffered()).toBe('Task a');
  takeWhenStarted()?.('s1');
  await waitFor(() => expect(sent().at(-1)).toMatchObject({ taskId: 'a', sessionId: 's1' }));
  expect(await screen.findByText('All fixed.')).toBeTruthy();
});
