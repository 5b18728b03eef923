import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import EnginesPage from '../EnginesPage';
import HubsPage from '../hubs/HubsPage';
import type { Engine } from '../data';
import type { EngineSettings } from './data';

const api = vi.hoisted(() => ({ get: vi.fn(), post: vi.fn(), patch: vi.fn(), put: vi.fn(), delete: vi.fn() }));
vi.mock('@shell/client', () => ({ client: api }));

const engine = (id: string, more: Partial<Engine> = {}): Engine => ({
  id,
  name: id,
  isAdded: false,
  isDefault: false,
  tier: 'second',
  isFound: true,
  version: '2.6.0',
  path: `/opt/${id}`,
  login: 'yes',
  trouble: null,
  notReady: null,
  install: '',
  howToLogIn: 'Run `codex login` in a terminal.',
  can: { ask: true, compact: true, effort: true, strictMcp: false, tellsCost: 'money' },
  checkedAt: null,
  ...more,
});

const settings: EngineSettings = {
  engineId: 'codex',
  name: 'Codex',
  isAdded: false,
  command: 'codex-acp',
  program: null,
  args: [],
  variables: [
    { name: 'ROUTER_KEY', value: null, isSecret: true },
    { name: 'ROUTER_URL', value: 'https://a.example', isSecret: false },
  ],
  permissionLevel: 'inherit',
  model: null,
  effort: null,
};

let engines: Engine[] = [];
let servers: unknown[] = [];

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  engines = [engine('codex', { name: 'Codex' }), engine('practice', { name: 'Practice' })];
  servers = [];
  api.get.mockImplementation((path: string) =>
    Promise.resolve(
      path.endsWith('/settings')
        ? settings
        : path.endsWith('/servers')
          ? { items: servers, nextCursor: null }
          : path === '/engines'
            ? { items: engines }
            : path === '/hubs'
              ? {
                  items: [{ id: 'h', name: 'shop', folder: '/shop', isThere: true, sessionCount: 0 }],
                  nextCursor: null,
                }
              : { items: [], nextCursor: null },
    ),
  );
});
afterEach(cleanup);

function draw(page: React.ReactNode) {
  const { hook, searchHook } = memoryLocation({ path: '/engines' });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        {page}
      </Router>
    </QueryClientProvider>,
  );
}

const editCodex = async () => {
  draw(<EnginesPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Codex' }));
  return within(await screen.findByRole('dialog', { name: 'Edit Codex' }));
};
const save = (dialog: ReturnType<typeof within>) =>
  userEvent.click(dialog.getByRole('button', { name: 'Save engine' }));

it('changes only what was changed, and keeps a stored secret that was not typed again', async () => {
  const dialog = await editCodex();
  const secret = await dialog.findByLabelText<HTMLInputElement>('Value of ROUTER_KEY');
  expect([secret.value, secret.placeholder, secret.type]).toEqual(['', 'Set', 'password']);
  await userEvent.type(dialog.getByLabelText('Program'), '/opt/codex-acp');
  await userEvent.type(dialog.getByLabelText('Arguments'), '-v{Enter}--fast');
  const url = dialog.getByLabelText('Value of ROUTER_URL');
  await userEvent.clear(url);
  await userEvent.type(url, 'https://b.example');
  await save(dialog);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.patch.mock.calls).toEqual([
    [
      '/engines/{engineId}/settings',
      { path: { engineId: 'codex' }, body: { program: '/opt/codex-acp', args: ['-v', '--fast'] } },
    ],
  ]);
  expect(api.put.mock.calls).toEqual([
    [
      '/engines/{engineId}/variables/{name}',
      {
        path: { engineId: 'codex', name: 'ROUTER_URL' },
        body: { value: 'https://b.example', isSecret: false },
      },
    ],
  ]);
  expect(api.delete).not.toHaveBeenCalled();
});

it('adds a secret variable, removes another, and says what is missing', async () => {
  const dialog = await editCodex();
  await userEvent.click(await dialog.findByRole('button', { name: 'Remove ROUTER_URL' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Add variable' }));
  await save(dialog);
  expect(dialog.getByText('Enter a name.')).toBeTruthy();
  expect(api.patch).not.toHaveBeenCalled();
  await userEvent.type(dialog.getByLabelText('Name of variable 2'), 'NEW_KEY');
  await userEvent.type(dialog.getByLabelText('Value of NEW_KEY'), 'sk-new');
  await save(dialog);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.delete.mock.calls[0]![1]).toEqual({ path: { engineId: 'codex', name: 'ROUTER_URL' } });
  expect(api.put.mock.calls.map(([, { path, body }]) => [path.name, body])).toEqual([
    ['NEW_KEY', { value: 'sk-new', isSecret: true }],
  ]);
});

it('shows what is wrong beside its field', async () => {
  const problem = { code: 'invalid-input', detail: '/x is a folder, not a program.' };
  const errors = [{ pointer: '/program', code: 'not-a-program', detail: problem.detail }];
  api.patch.mockRejectedValue(new ApiError(422, { ...problem, errors }));
  const dialog = await editCodex();
  await userEvent.type(await dialog.findByLabelText('Program'), '/x');
  await save(dialog);
  await waitFor(() => expect(dialog.getByLabelText('Program').getAttribute('aria-invalid')).toBe('true'));
  expect(dialog.getByText(problem.detail)).toBeTruthy();
});

it('adds an agent with its variables, and removes one after a question', async () => {
  api.post.mockResolvedValue({ engineId: 'goose' });
  engines = [engine('mine', { name: 'Mine', isAdded: true })];
  draw(<EnginesPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Add engine' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add engine' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Add engine' }));
  expect(dialog.getByText('Enter a command.')).toBeTruthy();
  await userEvent.type(dialog.getByLabelText('Name'), 'Goose');
  await userEvent.type(dialog.getByLabelText('Command'), 'goose');
  await userEvent.type(dialog.getByLabelText('Arguments'), 'acp');
  await userEvent.click(dialog.getByRole('button', { name: 'Add variable' }));
  await userEvent.type(dialog.getByLabelText('Name of variable 1'), 'KEY');
  await userEvent.type(dialog.getByLabelText('Value of KEY'), 'v');
  await userEvent.click(dialog.getByRole('button', { name: 'Add engine' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.post.mock.calls).toEqual([['/engines', { body: { name: 'Goose', command: 'goose', args: ['acp'] } }]]);
  expect(api.put.mock.calls[0]![1].path).toEqual({ engineId: 'goose', name: 'KEY' });
  await userEvent.click(screen.getByRole('button', { name: 'Remove Mine' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Remove engine' }));
  expect(api.delete).toHaveBeenCalledWith('/engines/{engineId}', { path: { engineId: 'mine' } });
});

it('shows the command that logs in, with a button that copies it', async () => {
  const copied = vi.fn().mockResolvedValue(undefined);
  engines = [
    engine('codex', {
      name: 'Codex',
      login: 'no',
      notReady: 'Not logged in to Codex on this machine. Run `codex login` in a terminal.',
    }),
  ];
  draw(<EnginesPage />);
  const user = userEvent.setup();
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: copied }, configurable: true });
  await user.click(await screen.findByRole('button', { name: 'Copy codex login' }));
  expect(copied).toHaveBeenCalledWith('codex login');
  expect(screen.getByText('Not logged in to Codex on this machine.')).toBeTruthy();
});

it('adds a tool server to a hub', async () => {
  api.put.mockResolvedValue({ values: [] });
  draw(<HubsPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Tool servers of shop' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Add tool server' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Add a tool server' }));
  await userEvent.type(dialog.getByLabelText('Name'), 'files');
  await userEvent.type(dialog.getByRole('textbox', { name: 'Command' }), 'npx');
  await userEvent.type(dialog.getByLabelText('Arguments'), '-y{Enter}files');
  await userEvent.click(dialog.getByRole('button', { name: 'Save server' }));
  await waitFor(() => expect(screen.getByRole('dialog', { name: 'Tool servers of shop' })).toBeTruthy());
  expect(api.put.mock.calls).toEqual([
    [
      '/hubs/{hubId}/servers/{name}',
      { path: { hubId: 'h', name: 'files' }, body: { command: 'npx', args: ['-y', 'files'] } },
    ],
  ]);
});
