import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { AskCard } from './AskCard';
import { Composer } from './Composer';
import type { Ask, Detail, Engine, Session } from './data';
import EnginesPage from './EnginesPage';
import NewSession from './NewSession';
import { SessionLinks } from './SessionLinks';
import SessionsPage from './SessionsPage';
import { Waiting } from './Waiting';
import { outcome } from './words';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'delete'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));

const session = (id: string, more: Partial<Session> = {}): Session => ({
  id,
  title: `Session ${id}`,
  projectId: 'h1',
  engine: 'practice',
  model: null,
  cwd: '/home/ada/shop',
  origin: 'person',
  driven: false,
  isStuck: false,
  startsAt: null,
  parentId: null,
  state: 'idle',
  why: '',
  since: '2026-01-02T03:04:05Z',
  detail: null,
  need: null,
  turns: 1,
  runMs: 0,
  costUsd: null,
  usedTokens: 0,
  sizeTokens: 0,
  createdAt: '2026-01-02T03:04:05Z',
  changedAt: '2026-01-02T03:04:05Z',
  mode: null,
  effort: null,
  needsYou: false,
  openAsks: 0,
  waiting: 0,
  unread: 0,
  lastEntry: 1,
  todo: null,
  canSteer: false,
  acceptsImages: null,
  spentTokens: 0,
  ...more,
});
const hub = (id: string, name: string) => ({
  id,
  name,
  folder: `/work/${name}`,
  isThere: true,
  isRepository: true,
  createdAt: '2026-01-02T03:04:05Z',
});

let sessions: Session[] = [];
let hubs = [hub('h1', 'shop')];
let engines: Partial<Engine>[] = [];

function draw(content: React.ReactNode, path = '/sessions') {
  const { hook, searchHook, history } = memoryLocation({ path, record: true });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        {content}
      </Router>
    </QueryClientProvider>,
  );
  return history;
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  sessions = [];
  hubs = [hub('h1', 'shop')];
  api.get.mockImplementation((path) =>
    Promise.resolve(
      path.startsWith('/hubs')
        ? { items: hubs, nextCursor: null }
        : path.startsWith('/engines')
          ? { items: engines }
          : { items: sessions, nextCursor: null },
    ),
  );
  localStorage.clear();
});

describe('the list of sessions', () => {
  it('starts a newcomer on a practice session with one click, and opens it', async () => {
    api.post.mockResolvedValue(session('s9'));
    const history = draw(<SessionsPage />);
    await userEvent.click(await screen.findByRole('button', { name: 'Start practice session' }));
    await waitFor(() => expect(history.at(-1)).toBe('/sessions/s9'));
    expect(api.post.mock.calls).toEqual([['/sessions/practice', expect.anything()]]);
    // Its folder became a hub, which the navigation has to show.
    await waitFor(() => expect(api.get.mock.calls.filter(([path]) => path.startsWith('/hubs'))).toHaveLength(2));
  });

  it('says each state in words, and shows titles as text', async () => {
    sessions = [session('1', { title: '<img src=x onerror=alert(1)>', state: 'awaitingPermission', need: {} })];
    draw(<SessionsPage />);
    const line = await screen.findByRole('link', { name: /<img/ });
    expect(line.textContent).toContain('Needs approval');
    expect(line.querySelector('img')).toBeNull();
  });

  it('leaves archived sessions out until they are asked for', async () => {
    sessions = [session('1', { state: 'archived' }), session('2')];
    draw(<SessionsPage />);
    expect(await screen.findByRole('link', { name: /Session 2/ })).toBeTruthy();
    expect(screen.queryByRole('link', { name: /Session 1/ })).toBeNull();
  });
});

it('shows which engines are found, and what to do where one is not', async () => {
  engines = [
    {
      id: 'practice',
      name: 'Practice',
      tier: 'primary',
      isFound: true,
      version: '1.0',
      path: '/x',
      login: 'unknown',
      notReady: null,
    },
    {
      id: 'other',
      name: 'Other',
      tier: 'second',
      isFound: false,
      version: null,
      path: null,
      login: 'no',
      notReady: "Can't start Other: install it with: npm install other",
    },
  ];
  draw(<EnginesPage />);
  expect((await screen.findByRole('region', { name: 'Practice' })).textContent).toContain('Ready');
  expect(screen.getByRole('region', { name: 'Other' }).textContent).toContain('Not installedSecond');
  expect(screen.getByText(/npm install other/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Check Other again' }));
  expect(api.post).toHaveBeenCalledWith('/engines/other/check', expect.anything());
});

it('shows an engine that cannot be started in the form, with the text that a start is refused with', async () => {
  const notReady = "Codex can't be started: codex-acp was not found. Install it with: npm install -g codex-acp";
  engines = [
    { id: 'practice', name: 'Practice', isFound: true, isDefault: true, version: '1.0', notReady: null },
    { id: 'codex', name: 'Codex', isFound: false, isDefault: false, version: null, notReady },
  ];
  draw(<NewSession hub="h1" onClose={() => undefined} />);
  await userEvent.click(await screen.findByRole('button', { name: /Engine/ }));
  const option = await screen.findByRole('option', { name: /Codex/ });
  expect(option.getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByText(notReady)).toBeTruthy();
});

describe('the permission rules', () => {
  const rule = {
    allows: 'Commands that start with `npm test`',
    scope: 'hub',
    projectName: 'shop',
    sessionTitle: null,
    createdAt: '2026-01-02T03:04:05Z',
  };
  const answer = (items: unknown[]) =>
    api.get.mockImplementation((path) =>
      Promise.resolve({ items: path.startsWith('/sessions/rules') ? items : [], nextCursor: null }),
    );

  it('are listed with where they count, and are removed', async () => {
    answer([
      { ...rule, id: 'r1' },
      { ...rule, id: 'r2', allows: 'Requests to docs.rs', scope: 'everywhere' },
    ]);
    draw(<EnginesPage />);
    const list = await screen.findByRole('list', { name: 'Permission rules' });
    expect(list.textContent).toContain('Commands that start with npm testIn the hub shop');
    expect(list.textContent).toContain('Requests to docs.rsEverywhere');
    answer([{ ...rule, id: 'r2', allows: 'Requests to docs.rs', scope: 'everywhere' }]);
    within(list)
      .getByRole('button', { name: /Remove: Commands/ })
      .focus();
    await userEvent.keyboard('{Enter}');
    expect(api.delete).toHaveBeenCalledWith('/sessions/rules/r1', ...[]);
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(1));
  });

  it('say how to make one where there is none', async () => {
    answer([]);
    draw(<EnginesPage />);
    expect(await screen.findByText('No permission rules')).toBeTruthy();
  });
});

it('shows the hubs in the navigation with their newest sessions, and the way to the others', async () => {
  sessions = [...Array.from({ length: 8 }, (_, at) => session(`n${at}`)), session('away', { state: 'archived' })];
  draw(<SessionLinks />);
  const list = await screen.findByRole('list', { name: 'Sessions of shop' });
  expect(within(list).getAllByRole('link')).toHaveLength(5);
  expect(within(list).getAllByRole('link')[0]!.textContent).toContain('Ready: ');
  expect(screen.getByRole('link', { name: 'All sessions' })).toBeTruthy();
});

const permission: Ask = {
  id: '1:1',
  kind: 'permission',
  asked: 'rm -r <b>build</b>',
  alwaysAllows: null,
  why: 'Commands need approval at the guarded level (agentPermissionLevel)',
  askedAt: '2026-01-02T03:04:05Z',
  answer: null,
  answeredBy: null,
  answeredAt: null,
  said: null,
  request: {
    tool: { id: 't', title: 'rm', kind: 'execute', command: 'rm -r <b>build</b>' },
    offers: [
      { id: 'y', name: 'Yes', kind: 'allowOnce' },
      { id: 'always', name: 'Yes, always', kind: 'allowAlways' },
      { id: 'n', name: 'No', kind: 'rejectOnce' },
    ],
  },
};

describe('what a session asks', () => {
  const drawAsk = (ask: Ask) => {
    const onAnswer = vi.fn().mockResolvedValue({});
    draw(<AskCard ask={ask} use={undefined} onAnswer={onAnswer} />);
    return onAnswer;
  };

  it('shows the whole command as text, and which rule makes it wait', () => {
    drawAsk(permission);
    expect(screen.getByLabelText('Command').textContent).toBe('$ rm -r <b>build</b>');
    expect(screen.getByText(/agentPermissionLevel/)).toBeTruthy();
  });

  it('is answered by one key while it has the focus, once', async () => {
    const onAnswer = drawAsk(permission);
    screen.getByRole('region').focus();
    await userEvent.keyboard('rda');
    expect(onAnswer.mock.calls).toEqual([[{ allow: false }]]);
  });

  it('shows which rule a lasting yes makes, and where it counts, before it is made', async () => {
    const onAnswer = drawAsk({ ...permission, alwaysAllows: 'Commands that start with `git commit`' });
    const always = screen.getByRole('group', { name: 'Always allow' });
    expect(always.textContent).toContain('Commands that start with git commit');
    expect(within(always).getByText('git commit').tagName).toBe('CODE');
    expect(screen.queryByRole('button', { name: /Yes, always/ })).toBeNull();
    await userEvent.click(within(always).getByRole('button', { name: /Scope/ }));
    await userEvent.click(await screen.findByRole('option', { name: 'In this hub' }));
    await userEvent.click(within(always).getByRole('button', { name: 'Always allow' }));
    expect(onAnswer.mock.calls).toEqual([[{ allow: true, always: true, scope: 'hub' }]]);
  });

  it('offers no lasting yes where no rule can cover the request', () => {
    drawAsk(permission);
    expect(screen.queryByRole('button', { name: /always/i })).toBeNull();
  });

  it('says how far an offer reaches, whatever the engine calls it', async () => {
    const onAnswer = drawAsk({
      ...permission,
      request: { ...(permission.request as object), offers: [{ id: 'x', name: 'No', kind: 'allowAlways' }] },
    });
    await userEvent.click(screen.getByRole('button', { name: 'No (always allows)' }));
    expect(onAnswer).toHaveBeenCalledWith({ allow: true, offer: 'x' });
  });

  it('can be answered again where the answer was not taken', async () => {
    const onAnswer = drawAsk(permission).mockResolvedValueOnce(null);
    await userEvent.click(screen.getByRole('button', { name: 'Allow' }));
    await userEvent.click(screen.getByRole('button', { name: 'Allow' }));
    expect(onAnswer).toHaveBeenCalledTimes(2);
  });

  it('takes the fields of a question, and says what is missing', async () => {
    const onAnswer = drawAsk({
      ...permission,
      kind: 'question',
      request: {
        message: 'Which?',
        schema: { required: ['answer'], properties: { answer: { type: 'string', title: 'Which one' } } },
      },
    });
    await userEvent.click(screen.getByRole('button', { name: 'Submit' }));
    expect(screen.getByText('Required')).toBeTruthy();
    await userEvent.type(screen.getByRole('textbox', { name: 'Which one' }), 'that a r{Enter}');
    expect(onAnswer.mock.calls).toEqual([[{ allow: true, value: { answer: 'that a r' } }]]);
  });

  it('tells who answered, and by which rule', () => {
    expect(outcome('allowed', 'owner', '')).toBe('allowed by you');
    expect(outcome('refused', undefined, 'writes outside')).toBe('denied by a rule: writes outside');
    expect(outcome('withdrawn', 'program', '')).toBe('canceled');
  });
});

describe('the field to write', () => {
  const detail = (more: Partial<Detail> = {}): Detail => ({
    ...session('s1'),
    plan: [],
    choices: [],
    commands: [],
    leftRunning: [],
    prompts: [],
    children: [],
    forkedFrom: null,
    ...more,
  });
  const drawField = (history: string[] = [], more: Partial<Detail> = {}, hasQuestion = false) => {
    const onSend = vi.fn().mockResolvedValue({});
    const onCancel = vi.fn();
    const onChoose = vi.fn();
    draw(
      <Composer
        session={detail(more)}
        history={history}
        hasQuestion={hasQuestion}
        onSend={onSend}
        onCancel={onCancel}
        onChoose={onChoose}
      />,
    );
    return { onSend, onCancel, onChoose, field: screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' }) };
  };

  it('sends with Enter, starts a line with Shift Enter, and is empty then', async () => {
    const { onSend, field } = drawField();
    await userEvent.type(field, 'one{Shift>}{Enter}{/Shift}two{Enter}');
    expect(onSend).toHaveBeenCalledWith({ prompt: 'one\ntwo', images: [], steer: false });
    await waitFor(() => expect(field.value).toBe(''));
  });

  it('keeps what was not sent, over a reload too', async () => {
    const { onSend, field } = drawField();
    onSend.mockResolvedValue(null);
    await userEvent.type(field, 'precious{Enter}');
    expect(field.value).toBe('precious');
    expect(localStorage.getItem('pilothouse.draft.s1')).toBe('precious');
  });

  it('leafs through what was sent before, and back to nothing', async () => {
    const { field } = drawField(['newest', 'older']);
    await userEvent.clear(field);
    await userEvent.type(field, '{ArrowUp}{ArrowUp}{ArrowUp}');
    expect(field.value).toBe('older');
    await userEvent.type(field, '{ArrowDown}{ArrowDown}');
    expect(field.value).toBe('');
  });

  it('never takes the arrow from what is being written', async () => {
    const { field } = drawField(['newest']);
    await userEvent.clear(field);
    await userEvent.type(field, 'mine{ArrowUp}');
    expect(field.value).toBe('mine');
  });

  it('says that it waits while a turn is under way', () => {
    drawField([], { state: 'running' });
    expect(screen.getByRole('button', { name: 'Queue' })).toBeTruthy();
    expect(screen.queryByRole('switch')).toBeNull();
  });

  it('hands a prompt into the turn that runs only where the engine can and the person wants it', async () => {
    const { onSend, field } = drawField([], { state: 'running', canSteer: true });
    await userEvent.type(field, 'later{Enter}');
    expect(onSend).toHaveBeenLastCalledWith(expect.objectContaining({ steer: false }));
    await userEvent.click(screen.getByRole('switch', { name: 'Send to current turn' }));
    await userEvent.type(field, 'now{Enter}');
    expect(onSend).toHaveBeenLastCalledWith(expect.objectContaining({ prompt: 'now', steer: true }));
  });

  it('cancels a turn with Escape twice, never with one, and none that has ended', async () => {
    const { onCancel, field } = drawField([], { state: 'running' });
    await userEvent.type(field, '{Escape}');
    expect(onCancel).not.toHaveBeenCalled();
    await userEvent.type(field, '{Escape}');
    expect(onCancel).toHaveBeenCalledTimes(1);
  });

  it('offers the commands of the engine behind a slash', async () => {
    const { onSend, field } = drawField([], {
      commands: [
        { name: 'compact', call: '/compact', description: 'Makes room', isStale: false },
        { name: 'cost', call: '/cost', description: 'Tells the cost', isStale: false },
        { name: 'init', call: '/init', description: '', isStale: false },
      ],
    });
    await userEvent.type(field, '/co');
    expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([
      '/compactMakes room',
      '/costTells the cost',
    ]);
    await userEvent.type(field, '{ArrowDown}{Enter}');
    expect(field.value).toBe('/cost ');
    expect(onSend).not.toHaveBeenCalled();
    await userEvent.type(field, '{Enter}');
    expect(onSend).toHaveBeenCalledWith(expect.objectContaining({ prompt: '/cost' }));
  });

  it('shows a picture that is pasted, sends it along, and takes nothing that is no picture', async () => {
    const { onSend, field } = drawField();
    const png = new File([new Uint8Array([137, 80, 78, 71])], 'a.png', { type: 'image/png' });
    const svg = new File(['<svg onload="x">'], 'a.svg', { type: 'image/svg+xml' });
    field.focus();
    const clipboardData = { files: [png, svg], getData: () => '' };
    fireEvent.paste(field, { clipboardData });
    expect(await screen.findByRole('img', { name: 'Image 1' })).toBeTruthy();
    expect(screen.getAllByRole('img')).toHaveLength(1);
    await userEvent.type(field, 'look{Enter}');
    expect(onSend).toHaveBeenCalledWith({
      prompt: 'look',
      images: [{ media: 'image/png', data: 'iVBORw==' }],
      steer: false,
    });
    await waitFor(() => expect(screen.queryByRole('img')).toBeNull());
  });

  it('lets the model and the mode be chosen that the engine offers', async () => {
    const options = [
      { value: 'a', name: 'Model A' },
      { value: 'b', name: 'Model B' },
    ];
    const efforts = [
      { value: 'a', name: 'Low' },
      { value: 'b', name: 'High' },
    ];
    const { onChoose } = drawField([], {
      choices: [
        { id: 'm', name: 'Model', category: 'model', current: 'a', options },
        { id: 'e', name: 'Effort', category: 'thought_level', current: 'b', options: efforts },
        { id: 'x', name: 'Other', category: null, current: 'a', options },
      ],
    });
    await userEvent.click(screen.getByRole('button', { name: /Model/ }));
    await userEvent.click(await screen.findByRole('option', { name: 'Model B' }));
    expect(onChoose).toHaveBeenCalledWith({ model: 'b' });
    await userEvent.click(screen.getByRole('button', { name: /Effort/ }));
    await userEvent.click(await screen.findByRole('option', { name: 'Low' }));
    expect(onChoose).toHaveBeenCalledWith({ effort: 'a' });
    expect(screen.queryByRole('button', { name: /Other/ })).toBeNull();
  });

  it('lists what waits, and takes it back', async () => {
    const onRemove = vi.fn();
    draw(
      <Waiting
        prompts={[{ promptId: 4, text: '<b>next</b>', images: 1, by: 'owner', at: '2026-01-02T03:04:05Z' }]}
        onRemove={onRemove}
      />,
    );
    expect(screen.getByText('<b>next</b>')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: /^Remove: / }));
    expect(onRemove).toHaveBeenCalledWith(4);
  });
});
