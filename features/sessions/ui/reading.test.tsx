/** Reading a session's page: finding, copying, folded notes, the to-do list, and the facts in its head. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Route, Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import SessionPage from './SessionPage';

type Get = (path: string, options?: { query?: Record<string, number | undefined> }) => Promise<unknown>;
const get = vi.fn<Get>();
const post = vi.fn<(path: string, body?: unknown) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (...args: Parameters<Get>) => get(...args),
    post: (path: string, body?: unknown) => post(path, body),
  },
}));

const AT = '2026-01-02T03:04:05Z';
const engine = (told: object) => ({ entry: 'engine', told });
const prompt = (text: string) => ({ entry: 'prompt', prompt: 1, content: [{ type: 'text', text }] });
const said = (text: string, message?: string) =>
  engine({ event: 'said', chunk: { type: 'text', text }, ...(message ? { message } : {}) });
const thought = (text: string) => engine({ event: 'thought', chunk: { type: 'text', text } });
const runs = (command: string, output = '') =>
  engine({
    event: 'tool',
    tool: { id: command, title: command, kind: 'execute', command },
    state: 'completed',
    output: output ? [{ type: 'content', content: { type: 'text', text: output } }] : [],
  });
const plan = (...done: boolean[]) =>
  engine({
    event: 'planned',
    plan: done.map((isDone, at) => ({ content: `Step ${at}`, status: isDone ? 'completed' : 'pending' })),
  });

let bodies: object[] = [];
let record: object = {};
let asks: object[] = [];
let branch: string | null = null;
/** Numbers of entries that were asked for at once. */
let limits: (number | undefined)[] = [];

beforeEach(() => {
  bodies = [];
  asks = [];
  limits = [];
  branch = null;
  record = {};
  localStorage.clear();
  // Tests of live events are elsewhere: this page asks now and then.
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
  // The virtual list draws what is visible: here, a window that shows all rows of these tests.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockImplementation(function (this: HTMLElement) {
    return this.matches('.transcript-scroll') ? 2_000 : 0;
  });
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(30);
  post.mockReset().mockResolvedValue({});
  get.mockReset().mockImplementation((path, options) => {
    if (path.startsWith('/hubs'))
      return Promise.resolve({ items: [{ id: 'h1', name: 'shop', folder: '/home/ada/shop', purpose: '' }] });
    if (path.startsWith('/engines')) return Promise.resolve({ items: [{ id: 'codex', name: 'Codex' }] });
    if (path.endsWith('/asks')) return Promise.resolve({ items: asks });
    if (path.endsWith('/changes')) return Promise.resolve({ branch });
    if (!path.endsWith('/transcript'))
      return Promise.resolve({
        id: 's1',
        title: 'Mend the shop',
        projectId: 'h1',
        engine: 'codex',
        model: null,
        cwd: '/home/ada/shop',
        driven: false,
        parentId: null,
        state: 'idle',
        why: '',
        since: AT,
        detail: null,
        need: null,
        turns: 1,
        costUsd: null,
        usedTokens: 0,
        sizeTokens: 0,
        todo: null,
        canSteer: false,
        acceptsImages: null,
        spentTokens: 0,
        plan: [],
        choices: [],
        commands: [],
        leftRunning: [],
        prompts: [],
        children: [],
        forkedFrom: null,
        ...record,
      });
    const { before, after, limit = 200 } = options?.query ?? {};
    limits.push(options?.query?.limit);
    const all = bodies.map((body, at) => ({ number: at + 1, at: AT, body }));
    const from = before ? before - 1 : all.length;
    const entries = after === undefined ? all.slice(Math.max(0, from - limit), from) : all.slice(after, after + limit);
    return Promise.resolve({ entries, last: all.length });
  });
});
afterEach(() => vi.unstubAllGlobals());

async function open() {
  const user = userEvent.setup();
  const { hook, searchHook } = memoryLocation({ path: '/sessions/s1' });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        <Route path="/sessions/:id" component={SessionPage} />
      </Router>
    </QueryClientProvider>,
  );
  await waitFor(() => expect(document.querySelector('.transcript-row')).toBeTruthy());
  return user;
}

const bar = () => screen.getByRole('search', { name: 'Find in transcript' });
const count = () => within(bar()).getByRole('status').textContent;
const current = () => document.querySelector('[data-found]')?.textContent ?? '';

describe('the search in a transcript', () => {
  it('opens by key, counts, goes on and back by keys, and gives the focus back', async () => {
    bodies = [
      prompt('Where is the walrus?'),
      said('A **wal**rus and a WALRUS', 'a'),
      thought('no animal here'),
      said('One more walrus', 'b'),
    ];
    const user = await open();
    const field = screen.getByRole('textbox', { name: 'Message' });
    await user.click(field);
    await user.keyboard('{Control>}f{/Control}');
    await user.keyboard('walrus');
    // Bold or not, what is read is what counts.
    await waitFor(() => expect(count()).toBe('1 of 4'));
    expect(current()).toContain('Where is the walrus?');
    await user.keyboard('{Enter}{Enter}');
    expect(count()).toBe('3 of 4');
    expect(current()).toContain('and a WALRUS');
    await user.keyboard('{F3}');
    expect(count()).toBe('4 of 4');
    await user.keyboard('{Enter}');
    expect(count()).toBe('1 of 4');
    await user.keyboard('{Shift>}{Enter}{/Shift}');
    expect(count()).toBe('4 of 4');
    await user.keyboard('{Shift>}{F3}{/Shift}');
    expect(count()).toBe('3 of 4');
    await user.keyboard(' x');
    await waitFor(() => expect(count()).toBe('No matches'));
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('search')).toBeNull();
    expect(document.activeElement).toBe(field);
    expect(document.querySelector('[data-found]')).toBeNull();
  });

  it('opens by its button, which has the focus again afterwards', async () => {
    bodies = [said('one')];
    const user = await open();
    await user.click(screen.getByRole('button', { name: 'Find in transcript' }));
    expect(document.activeElement).toBe(within(bar()).getByRole('textbox'));
    await user.click(within(bar()).getByRole('button', { name: 'Close search' }));
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Find in transcript' }));
  });

  it('leaves the second Ctrl+F to the browser', async () => {
    bodies = [said('one')];
    const user = await open();
    const taken: boolean[] = [];
    const note = (event: KeyboardEvent) => event.key === 'f' && taken.push(event.defaultPrevented);
    await user.keyboard('{Control>}f{/Control}');
    await screen.findByRole('search');
    window.addEventListener('keydown', note);
    await user.keyboard('{Control>}f{/Control}');
    window.removeEventListener('keydown', note);
    expect(taken).toEqual([false]);
  });

  it('expands the folded line that has the match, all of it', async () => {
    const output = ['needle', ...Array.from({ length: 300 }, (_, at) => `line ${at}`)].join('\n');
    bodies = [
      said('start'),
      runs('make', output),
      thought('a second\nneedle'),
      { entry: 'wall', wall: 'up', why: 'Sandboxed' },
      engine({ event: 'notice', text: 'The third needle' }),
    ];
    const user = await open();
    expect(screen.queryByText(/needle/)).toBeNull();
    await user.keyboard('{Control>}f{/Control}needle');
    await waitFor(() => expect(count()).toBe('1 of 3'));
    // Outputs are shortened to their end otherwise.
    await waitFor(() => expect(screen.getByLabelText('Output').textContent).toContain('needle\nline 0'));
    await user.keyboard('{Enter}');
    expect(current()).toContain('a second\nneedle');
    await user.keyboard('{Enter}');
    expect(screen.getByRole('button', { name: /2 notes/ }).getAttribute('aria-expanded')).toBe('true');
    expect(current()).toContain('The third needle');
  });

  it('loads what is not loaded, in large parts, and says while it does', async () => {
    bodies = [said('the first needle'), ...Array.from({ length: 3_000 }, (_, at) => thought(`${at}\n`))];
    const user = await open();
    limits = [];
    await user.keyboard('{Control>}f{/Control}needle');
    await waitFor(() => expect(count()).toBe('1 of 1'));
    expect(limits.filter((limit) => limit === 1_000).length).toBeGreaterThanOrEqual(3);
    expect(current()).toContain('the first needle');
  });

  it('highlights every match, and the current one apart', async () => {
    const shown = new Map<string, { texts: string[] }>();
    class Highlight {
      priority = 0;
      readonly texts: string[];
      constructor(...ranges: Range[]) {
        this.texts = ranges.map(String);
      }
    }
    vi.stubGlobal('Highlight', Highlight);
    vi.stubGlobal('CSS', { ...CSS, highlights: shown, escape: CSS.escape });
    bodies = [said('A **wal**rus, a Walrus\nand a wal\nrus')];
    const user = await open();
    await screen.findByText('wal');
    await user.keyboard('{Control>}f{/Control}walrus');
    await waitFor(() => expect(shown.get('transcript-current')?.texts).toEqual(['walrus']));
    expect(shown.get('transcript-found')?.texts).toEqual(['walrus', 'Walrus']);
    await user.keyboard('{Escape}');
    expect(shown.size).toBe(0);
  });
});

describe('copying', () => {
  it('gives the Markdown of a whole message, the text of mine, code, and commands', async () => {
    const long = Array.from({ length: 40 }, (_, at) => `${at} ${'word '.repeat(80)}`).join('\n\n');
    bodies = [prompt('do *this*'), said(long), runs('npm test'), said('```js\nlet a = 1;\n```', 'b')];
    const user = await open();
    const press = async (button: HTMLElement) => {
      await user.click(button);
      return navigator.clipboard.readText();
    };
    await waitFor(() => expect(screen.getByRole('button', { name: 'Copy code' })).toBeTruthy());
    const messages = screen.getAllByRole('button', { name: 'Copy message' });
    expect(await press(messages[0]!)).toBe('do *this*');
    // A long message is drawn in parts.
    expect(messages.length).toBeGreaterThan(3);
    expect(await press(messages[1]!)).toBe(long);
    expect(await press(messages[2]!)).toBe(long);
    expect(await press(screen.getByRole('button', { name: 'Copy code' }))).toBe('let a = 1;');
    expect(await press(screen.getByRole('button', { name: 'Copy command' }))).toBe('npm test');
    // Also where the details are shown.
    await user.click(screen.getByRole('button', { name: /Ran|Running/ }));
    expect(screen.getAllByRole('button', { name: 'Copy command' })).toHaveLength(1);
    expect(await press(screen.getByRole('button', { name: 'Copy command' }))).toBe('npm test');
  });
});

it('shows one to-do list where the turn began it, with what is done now', async () => {
  bodies = [
    prompt('go'),
    plan(false, false, false),
    said('at work'),
    plan(true, false, false),
    plan(true, true, false),
  ];
  await open();
  expect(await screen.findByText('To-do: 2 of 3 done')).toBeTruthy();
  expect(screen.getAllByText(/^To-do:/)).toHaveLength(1);
  const log = screen.getByRole('log').textContent;
  expect(log.indexOf('To-do:')).toBeLessThan(log.indexOf('at work'));
});

it('has the rule that allowed a command on its line, with the reason in the details', async () => {
  const why = 'Allowed by your rule: Commands that start with `npm test`';
  bodies = [
    runs('npm test'),
    engine({ event: 'permission', request: { id: '1', tool: { id: 'npm test', title: 'x', kind: 'execute' } } }),
    { entry: 'answer', id: '1', verdict: 'allowed', why, rule: 'x' },
  ];
  const user = await open();
  const line = screen.getByRole('button', { name: /Ran|Running/ });
  expect(within(line).getByTitle(why)).toBeTruthy();
  expect(screen.queryByText('Allowed by', { exact: false, selector: '.row-note, .row-line span' })).toBeNull();
  await user.click(line);
  expect(screen.getByText(why, { selector: '.row-note' })).toBeTruthy();
});

describe('the head', () => {
  it('shows the branch of a worktree to copy, and how much of the context is used', async () => {
    bodies = [said('x')];
    branch = 'pilothouse/mend';
    record = { cwd: '/trees/1', usedTokens: 124_000, sizeTokens: 200_000, costUsd: 0.42, state: 'running' };
    const user = await open();
    expect(await screen.findByText('62% of 200K')).toBeTruthy();
    expect(screen.getByTitle('Context: 124,000 of 200,000 tokens')).toBeTruthy();
    expect(screen.getByTitle('Cost').textContent).toBe('$0.42');
    await user.click(await screen.findByRole('button', { name: 'Copy branch' }));
    expect(await navigator.clipboard.readText()).toBe('pilothouse/mend');
  });

  it('shows the tokens alone where the size of the context is unknown, and asks no folder for a branch', async () => {
    bodies = [said('x')];
    record = { usedTokens: 12_300 };
    await open();
    expect(await screen.findByText('12.3K tokens')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Copy branch' })).toBeNull();
    expect(get.mock.calls.filter(([path]) => path.endsWith('/changes'))).toEqual([]);
  });
});

it('says beside the field for messages that a question is open, and leaves the focus where it is', async () => {
  bodies = [said('x')];
  asks = [
    {
      id: '1',
      kind: 'question',
      request: { message: 'Which color?', schema: { properties: { color: { type: 'string', title: 'Color' } } } },
      why: '',
      askedAt: AT,
      answer: null,
      alwaysAllows: null,
    },
  ];
  record = { state: 'awaitingInput', need: { id: '1' } };
  const user = await open();
  const answer = await screen.findByRole('textbox', { name: 'Color' });
  expect(document.activeElement).toBe(document.body);
  const field = screen.getByRole('textbox', { name: 'Message' });
  expect(field.getAttribute('aria-describedby')).toBeTruthy();
  expect(document.getElementById(field.getAttribute('aria-describedby')!)?.textContent).toBe(
    'A question is open above. Answer there, or send a message.',
  );
  // By keys: to the card, and on to its field.
  await user.keyboard('a');
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Question: Which color?' }));
  await user.tab();
  expect(document.activeElement).toBe(answer);
  await user.keyboard('green{Enter}');
  expect(post).toHaveBeenCalledWith(
    '/sessions/s1/asks/1/answer',
    expect.objectContaining({ allow: true, value: { color: 'green' } }),
  );
});
