/** Looking at a session and writing to it: the final message alone, skills, and the focus. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Route, Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { setPreference } from '@shell/preferences';
import { useBoundShortcuts } from '@shell/shortcuts';
import NewSession from './NewSession';
import SessionPage from './SessionPage';

type Get = (path: string, options?: { query?: Record<string, unknown> }) => Promise<unknown>;
const get = vi.fn<Get>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<Get>) => get(...args), post: () => Promise.resolve({}) },
}));

const AT = '2026-01-02T03:04:05Z';
const engine = (told: object) => ({ entry: 'engine', told });
const prompt = (text: string) => ({ entry: 'prompt', prompt: 1, content: [{ type: 'text', text }] });
const said = (text: string) => engine({ event: 'said', chunk: { type: 'text', text } });
const runs = (command: string) =>
  engine({ event: 'tool', tool: { id: command, title: command, kind: 'execute', command }, state: 'completed' });
const end = engine({ event: 'turnEnded', stop: 'endTurn' });

let bodies: object[] = [];
let commands: object[] = [];
let values: Record<string, unknown> = {};
const onDisk = [
  { name: 'deploy-app', call: '/deploy-app', description: 'Ships it', isPersonal: false },
  { name: 'review', call: '/review', description: 'Reviews a branch', isPersonal: true },
];

beforeEach(() => {
  bodies = [];
  commands = [];
  values = {};
  localStorage.clear();
  for (const name of ['finalMessage', 'draft.s1', 'draft.s2', 'draft.new']) setPreference(name, null);
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockImplementation(function (this: HTMLElement) {
    return this.matches('.transcript-scroll') ? 2_000 : 0;
  });
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(30);
  get.mockReset().mockImplementation((path) => {
    if (path === '/settings')
      return Promise.resolve({
        revision: 1,
        settings: Object.entries(values).map(([key, value]) => ({ key, value, effect: { reasons: [] } })),
      });
    if (path.endsWith('/skills')) return Promise.resolve({ skills: onDisk, isComplete: true });
    if (path.startsWith('/hubs'))
      return Promise.resolve({ items: [{ id: 'h1', name: 'shop', folder: '/shop', purpose: '', isThere: true }] });
    if (path.startsWith('/engines'))
      return Promise.resolve({ items: [{ id: 'claude', name: 'Claude', isDefault: true, isFound: true }] });
    if (path.endsWith('/asks')) return Promise.resolve({ items: [] });
    if (path.endsWith('/transcript'))
      return Promise.resolve({
        entries: bodies.map((body, at) => ({ number: at + 1, at: AT, body })),
        last: bodies.length,
      });
    if (/^\/sessions\/s\d$/.test(path))
      return Promise.resolve({
        ...{ id: path.slice(-2), title: `Session ${path.slice(-2)}`, projectId: 'h1', engine: 'claude', model: null },
        ...{ cwd: '/shop', driven: false, parentId: null, state: 'idle', why: '', since: AT, detail: null, need: null },
        ...{ turns: 1, costUsd: null, usedTokens: 0, sizeTokens: 0, todo: null, canSteer: false, acceptsImages: null },
        ...{ spentTokens: 0, plan: [], choices: [], leftRunning: [], prompts: [], children: [], forkedFrom: null },
        commands,
      });
    return Promise.resolve({ items: [], nextCursor: null });
  });
});
afterEach(() => vi.restoreAllMocks());

function Keys() {
  const keys = useBoundShortcuts().flatMap(({ shortcuts }) =>
    shortcuts.map(({ keys: one, label }) => `${one} ${label}`),
  );
  return <output>{keys.join('; ')}</output>;
}

async function open() {
  const user = userEvent.setup();
  const { hook, searchHook, navigate } = memoryLocation({ path: '/sessions/s1' });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        <input aria-label="Elsewhere" />
        <Keys />
        <Route path="/sessions/:id" component={SessionPage} />
      </Router>
    </QueryClientProvider>,
  );
  await field();
  return { user, navigate };
}

const field = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
const rows = () => [...document.querySelectorAll('.transcript-row')].map((row) => row.getAttribute('data-kind'));
const options = () => screen.queryAllByRole('option').map((option) => option.textContent);

describe('the final message', () => {
  beforeEach(() => {
    bodies = [prompt('go'), said('Looking around'), runs('ls'), said('A walrus\n<!-- final -->\nIt works'), end];
  });

  const toggle = async (user: ReturnType<typeof userEvent.setup>) => {
    await user.click(screen.getByRole('button', { name: 'More' }));
    await user.click(await screen.findByRole('menuitem', { name: /^Show only the final message/ }));
  };

  it('is shown alone once you say so, and what is hidden is expanded by keyboard', async () => {
    const { user } = await open();
    await waitFor(() => expect(rows()).toEqual(['prompt', 'text', 'tool', 'text']));
    expect(screen.getByRole('log').textContent).not.toContain('final');
    await toggle(user);
    await waitFor(() => expect(rows()).toEqual(['prompt', 'steps', 'text', 'text']));
    expect(localStorage.getItem('pilothouse.finalMessage')).toBe('only');
    const fold = screen.getByRole('button', { name: '2 steps hidden' });
    expect(fold.getAttribute('aria-expanded')).toBe('false');
    fold.focus();
    await user.keyboard('{Enter}');
    expect(rows()).toEqual(['prompt', 'steps', 'text', 'tool', 'text', 'text']);
    expect(screen.getByRole('button', { name: '2 steps' }).getAttribute('aria-expanded')).toBe('true');
    await toggle(user);
    await waitFor(() => expect(rows()).toEqual(['prompt', 'text', 'tool', 'text']));
  });

  it('obeys its settings', async () => {
    values = { finalMessageStructuralFloor: false };
    setPreference('finalMessage', 'only');
    await open();
    await waitFor(() => expect(rows()).toEqual(['prompt', 'steps', 'text']));
    expect(screen.getByText('3 steps hidden')).toBeTruthy();
  });

  it('is divided and nothing is hidden for debugging', async () => {
    values = { finalMessageMarkerDebug: true };
    setPreference('finalMessage', 'only');
    await open();
    await waitFor(() => expect(rows()).toEqual(['prompt', 'text', 'tool', 'text', 'divider', 'text']));
  });

  it('leaves what is hidden to the search, which expands it', async () => {
    bodies = [prompt('go'), said('Looking for a narwhal'), runs('ls'), said('Done'), end];
    setPreference('finalMessage', 'only');
    const { user } = await open();
    await waitFor(() => expect(rows()).toEqual(['prompt', 'steps', 'text']));
    await user.keyboard('{Control>}f{/Control}narwhal');
    await waitFor(() => expect(rows()).toEqual(['prompt', 'steps', 'text', 'tool', 'text']));
    expect(document.querySelector('[data-found]')?.textContent).toContain('narwhal');
  });
});

describe('the focus', () => {
  it('is on the message field after each switch of sessions', async () => {
    values = { sessionAutoFocusInput: true };
    const { user, navigate } = await open();
    await waitFor(async () => expect(document.activeElement).toBe(await field()));
    await user.click(screen.getByRole('button', { name: 'More' }));
    await user.keyboard('{Escape}');
    const before = await field();
    navigate('/sessions/s2');
    await screen.findByRole('heading', { name: 'Session s2' });
    await waitFor(async () => expect(document.activeElement).toBe(await field()));
    expect(await field()).not.toBe(before);
    expect(document.querySelector('output')?.textContent).not.toContain('r Focus');
  });

  it('stays where it is if you want that, until R, which is a letter in every field', async () => {
    values = { sessionAutoFocusInput: false };
    const { user } = await open();
    await waitFor(() => expect(document.querySelector('output')?.textContent).toContain('r Focus the message field'));
    expect(document.activeElement).toBe(document.body);
    const elsewhere = screen.getByRole<HTMLInputElement>('textbox', { name: 'Elsewhere' });
    await user.click(elsewhere);
    await user.keyboard('rR');
    expect([document.activeElement, elsewhere.value]).toEqual([elsewhere, 'rR']);
    elsewhere.blur();
    await user.keyboard('r');
    const message = await field();
    expect([document.activeElement, message.value]).toEqual([message, '']);
    await user.keyboard('rerun');
    expect(message.value).toBe('rerun');
  });

  it('is not taken from a field that you write in', async () => {
    values = { sessionAutoFocusInput: true };
    const { user, navigate } = await open();
    await waitFor(async () => expect(document.activeElement).toBe(await field()));
    const elsewhere = screen.getByRole('textbox', { name: 'Elsewhere' });
    await user.click(elsewhere);
    navigate('/sessions/s2');
    await screen.findByRole('heading', { name: 'Session s2' });
    await field();
    expect(document.activeElement).toBe(elsewhere);
  });
});

describe('skills', () => {
  it('are those that the engine announced, filtered by each key, also within a message', async () => {
    commands = [
      { name: 'compact', call: '/compact', description: 'Makes room', isStale: false },
      { name: '$deploy', call: '$deploy', description: 'Ships it', isStale: true },
      { name: 'code-review', call: '/code-review', description: '<b>Reads</b>', isStale: false },
    ];
    const { user } = await open();
    await user.click(await field());
    await user.keyboard('please /');
    expect(options()).toEqual([
      '/compactMakes room',
      '$deployMay be unavailable. Ships it',
      '/code-review<b>Reads</b>',
    ]);
    await user.keyboard('cr');
    expect(options()).toEqual(['/code-review<b>Reads</b>']);
    await user.keyboard('{Enter}');
    expect((await field()).value).toBe('please /code-review ');
    await user.keyboard('/dep{Tab}now');
    expect((await field()).value).toBe('please /code-review $deploy now');
    expect(get.mock.calls.some(([path]) => path.endsWith('/skills'))).toBe(false);
  });

  it('close with Escape until the next word, and leave paths and other slashes alone', async () => {
    commands = [{ name: 'compact', call: '/compact', description: '', isStale: false }];
    const { user } = await open();
    await user.click(await field());
    await user.keyboard('/c');
    expect(options()).toHaveLength(1);
    await user.keyboard('{Escape}o');
    expect(options()).toEqual([]);
    await user.keyboard(' /');
    expect(options()).toHaveLength(1);
    await user.keyboard('{Backspace}and/or /etc/com');
    expect(options()).toEqual([]);
  });

  it('are plain text if you want that', async () => {
    values = { skillSlashAutocomplete: false };
    commands = [{ name: 'compact', call: '/compact', description: '', isStale: false }];
    const { user } = await open();
    await waitFor(() => expect(get.mock.calls.some(([path]) => path === '/settings')).toBe(true));
    await user.click(await field());
    await user.keyboard('/com');
    expect(options()).toEqual([]);
  });

  it('are those on disk before a session exists', async () => {
    const user = userEvent.setup();
    const { hook, searchHook } = memoryLocation({ path: '/sessions' });
    render(
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <Router hook={hook} searchHook={searchHook}>
          <NewSession hub="h1" onClose={() => undefined} />
        </Router>
      </QueryClientProvider>,
    );
    const task = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Task' });
    await user.type(task, '/rev');
    await waitFor(() => expect(options()).toEqual(['/reviewReviews a branch']));
    await user.keyboard('{Enter}');
    expect(task.value).toBe('/review ');
    const asked = get.mock.calls.find(([path]) => path.endsWith('/skills'));
    expect([asked?.[0], asked?.[1]?.query]).toEqual(['/engines/claude/skills', { hubId: 'h1' }]);
  });
});
