import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { makeQueryClient } from '@shell/query';
import { patchCachedSetting, SETTINGS_QUERY } from '@shell/settings';
import BoardsPage from './BoardsPage';
import { gated } from './Gate';
import { entryPx, ROW_PX, useRowPx } from './display';
import { sampleItems } from './presets';

const get = vi.fn<(path: string, options?: { query?: Record<string, unknown> }) => Promise<unknown>>();
const post = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
const patch = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (...args: Parameters<typeof get>) => get(...args),
    post: (...args: Parameters<typeof post>) => post(...args),
    patch: (...args: Parameters<typeof patch>) => patch(...args),
  },
}));

const PRESETS = [
  {
    preset: 'tasks',
    name: 'Tasks',
    like: 'A list of things to do.',
    groups: ['To do', 'Done'],
    columns: [
      { title: 'Status', type: 'status' },
      { title: 'Due', type: 'date' },
    ],
    views: [{ name: 'Table', kind: 'table' }],
  },
  {
    preset: 'trello',
    name: 'Trello',
    like: 'Lists and cards.',
    groups: ['Cards'],
    columns: [{ title: 'List', type: 'status' }],
    views: [{ name: 'Board', kind: 'kanban' }],
  },
];

let here: object[];
/** Answers which workspaces there are; a program that is slow to start does so late. */
let workspaces: Promise<unknown>;
let elsewhere: object[];
const board = { id: 'b', workspaceId: 'w', name: 'Old', revision: 1, itemCount: 0, updatedAt: '2026-03-01T12:00:00Z' };

beforeEach(() => {
  [here, elsewhere] = [[], []];
  workspaces = Promise.resolve({ items: [{ id: 'w', name: 'Work' }] });
  for (const mock of [get, post, patch]) mock.mockReset();
  get.mockImplementation((path, options) => {
    if (path === '/workspaces') return workspaces;
    if (path === '/boards/presets') return Promise.resolve({ items: PRESETS });
    if (path === '/boards')
      return Promise.resolve({ items: options?.query?.workspaceId ? here : [...here, ...elsewhere] });
    return Promise.reject(new Error(`nobody answers ${path}`));
  });
  post.mockResolvedValue({ id: 'made', groups: [], columns: [] });
  patch.mockResolvedValue({});
});
afterEach(() => history.replaceState(null, '', '/'));

function draw(what: React.ReactNode, values: Record<string, string | boolean> = {}) {
  const client = makeQueryClient();
  const all = {
    projectBoardsEnabled: true,
    pmSetupPreset: 'tasks',
    pmBoardDensity: 'comfortable',
    pmColorMode: 'system',
    ...values,
  };
  client.setQueryData(SETTINGS_QUERY, {
    revision: 1,
    settings: Object.entries(all).map(([key, value]) => ({ key, value })),
  });
  const drawn = render(<QueryClientProvider client={client}>{what}</QueryClientProvider>);
  return { ...drawn, set: (key: string, value: string | boolean) => patchCachedSetting(client, key, { value }) };
}

describe('the dialog of a new board', () => {
  it('preselects what the setting says and makes what is chosen', async () => {
    here = [board];
    draw(<BoardsPage />, { pmSetupPreset: 'trello' });
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Create board' }));
    const dialog = within(screen.getByRole('dialog'));
    expect((await dialog.findByRole<HTMLInputElement>('radio', { name: 'Trello' })).checked).toBe(true);
    expect(dialog.getByText('List (status)')).toBeTruthy();
    await user.click(dialog.getByRole('button', { name: 'Create board' }));
    expect(post).not.toHaveBeenCalled();
    expect(dialog.getByText('Enter a name.')).toBeTruthy();
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Mine');
    await user.click(dialog.getByRole('radio', { name: 'Blank' }));
    await user.click(dialog.getByRole('button', { name: 'Create board' }));
    expect(post.mock.calls).toEqual([['/boards', { workspaceId: 'w', name: 'Mine', preset: 'blank' }]]);
    expect(patch, 'one board is no new habit').not.toHaveBeenCalled();
    expect(location.pathname).toBe('/boards/made');
  });

  it('takes what is typed before the workspace is known, says that it waits, and makes the board then', async () => {
    let start = (_: unknown) => {};
    workspaces = new Promise((resolve) => (start = resolve));
    draw(<BoardsPage />);
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Create board' }));
    await user.keyboard('Early{Enter}');
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByText('Created once workspaces load.')).toBeTruthy();
    expect(dialog.getByRole('button', { name: 'Create board' }).hasAttribute('data-pending')).toBe(true);
    expect(post).not.toHaveBeenCalled();
    start({ items: [{ id: 'w', name: 'Work' }] });
    await waitFor(() =>
      expect(post.mock.calls).toEqual([['/boards', { workspaceId: 'w', name: 'Early', preset: 'tasks' }]]),
    );
    expect(await screen.findByText('Project boards')).toBeTruthy();
  });

  it('says why where the workspaces cannot be read, and makes none where it was closed meanwhile', async () => {
    let [start, fail] = [(_: unknown) => {}, (_: unknown) => {}];
    workspaces = new Promise((resolve, reject) => ([start, fail] = [resolve, reject]));
    draw(<BoardsPage />);
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Create board' }));
    await user.keyboard('Early{Enter}');
    fail(new Error('It went away.'));
    expect(await screen.findByText('It went away.')).toBeTruthy();
    workspaces = new Promise((resolve) => (start = resolve));
    await user.keyboard('{Enter}');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    start({ items: [{ id: 'w', name: 'Work' }] });
    await screen.findByRole('button', { name: /^Use / });
    expect(post).not.toHaveBeenCalled();
  });

  it('is not closed by a board that was still being made as another such dialog was', async () => {
    here = [board];
    draw(<BoardsPage />);
    const user = userEvent.setup();
    const open = async () => user.click(await screen.findByRole('button', { name: 'Create board' }));
    let made: (value: unknown) => void = () => undefined;
    post.mockReturnValue(new Promise((resolve) => (made = resolve)));
    await open();
    await user.type(within(screen.getByRole('dialog')).getByRole('textbox', { name: 'Name' }), 'First{Enter}');
    await waitFor(() => expect(post).toHaveBeenCalledOnce());
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await open();
    await user.type(within(screen.getByRole('dialog')).getByRole('textbox', { name: 'Name' }), 'Second');
    await act(async () => made({ id: 'made', groups: [], columns: [] }));
    expect(within(screen.getByRole('dialog')).getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe(
      'Second',
    );
    await user.keyboard('{Escape}');
  });

  it('is worked by keys', async () => {
    here = [board];
    draw(<BoardsPage />);
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Create board' }));
    await screen.findByRole('radio', { name: 'Tasks' });
    await user.keyboard('Keys{Tab}{ArrowDown}');
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Trello' }).checked).toBe(true);
    await user.keyboard('{Shift>}{Tab}{/Shift}{Enter}');
    expect(post.mock.calls[0]?.[1]).toEqual({ workspaceId: 'w', name: 'Keys', preset: 'trello' });
  });
});

describe('the first board', () => {
  it('begins with a preset, which is remembered', async () => {
    draw(<BoardsPage />);
    const user = userEvent.setup();
    await user.click(await screen.findByRole('radio', { name: 'Trello' }));
    await user.click(screen.getByRole('button', { name: 'Use Trello' }));
    expect(post.mock.calls).toEqual([['/boards', { workspaceId: 'w', name: 'Trello', preset: 'trello' }]]);
    expect(patch.mock.calls).toEqual([['/settings/pmSetupPreset', { value: 'trello' }]]);
    expect(location.pathname).toBe('/boards/made');
  });

  it('says that boards lie in the archive and the trash, and leads there', async () => {
    const answer = get.getMockImplementation()!;
    get.mockImplementation((path, options) =>
      path === '/boards/trash'
        ? Promise.resolve({
            items: options?.query?.place === 'archive' ? [{ id: 'b', name: 'Old', itemCount: 1 }] : [],
          })
        : answer(path, options),
    );
    draw(<BoardsPage />);
    expect((await screen.findByRole('link', { name: 'archive' })).getAttribute('href')).toBe(
      '/boards/trash?place=archive',
    );
    expect(screen.queryByRole('link', { name: 'trash' })).toBeNull();
    expect(screen.getByText(/You can restore a board from the/)).toBeTruthy();
  });

  it('has one button that stands out', async () => {
    draw(<BoardsPage />);
    await screen.findByRole('button', { name: /^Use / });
    expect([...document.querySelectorAll('.btn-primary')].map((button) => button.textContent)).toEqual([
      screen.getByRole('button', { name: /^Use / }).textContent,
    ]);
  });

  it('can be an import, or sample data', async () => {
    draw(<BoardsPage />);
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Explore sample data' }));
    expect(post.mock.calls.map(([path]) => path)).toEqual(['/boards', '/boards/made/items']);
    expect(patch).not.toHaveBeenCalled();
  });

  it('keeps the focus on what was pressed, and makes one board', async () => {
    post.mockReturnValue(new Promise(() => undefined));
    draw(<BoardsPage />);
    const user = userEvent.setup();
    const begin = await screen.findByRole('button', { name: /^Use / });
    await user.click(begin);
    expect([document.activeElement, begin.getAttribute('aria-disabled'), begin.hasAttribute('disabled')]).toEqual([
      begin,
      'true',
      false,
    ]);
    await user.keyboard('{Enter}');
    expect(post).toHaveBeenCalledTimes(1);
    // The other ways say that they wait.
    for (const name of ['Explore sample data', 'Import file'])
      expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(true);
  });

  it('is not opened once the page was left', async () => {
    let answer = (_: unknown) => {};
    post.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    draw(<BoardsPage />);
    await userEvent.setup().click(await screen.findByRole('button', { name: /^Use / }));
    act(() => navigate('/settings'));
    answer({ id: 'made', groups: [], columns: [] });
    await waitFor(() => expect(screen.getByRole('button', { name: /^Use / }).hasAttribute('data-pending')).toBe(false));
    expect(location.pathname).toBe('/settings');
  });

  it('is not offered to an account that has boards elsewhere', async () => {
    elsewhere = [board];
    draw(<BoardsPage />);
    expect(await screen.findByText('No boards in this workspace')).toBeTruthy();
    expect(screen.queryByText('Set up your first board')).toBeNull();
  });

  it('gives sample items values that their columns take', () => {
    const labels = (...texts: string[]) => ({
      labels: texts.map((text, i) => ({ id: `l${i + 1}`, text, color: '#4a7fd4', done: false })),
    });
    const columns = [
      {
        id: 'c1',
        title: 'Status',
        type: 'status' as const,
        settings: labels('Planned', 'On track', 'At risk', 'Off track', 'On hold', 'Done'),
      },
      { id: 'c2', title: 'Due', type: 'date' as const, settings: {} },
    ];
    const items = sampleItems(
      { id: 'b', groups: [{ id: 'g1', name: 'Finished' }], columns },
      new Date('2026-03-01T12:00:00Z'),
    );
    expect(items[0]).toEqual({ name: 'Choose a name', groupId: 'g1', cells: { c1: 'l6', c2: '2026-02-17' } });
    expect(items.every((item) => Object.keys(item.cells).join() === 'c1,c2')).toBe(true);
    expect(items.at(-1)).not.toHaveProperty('groupId');
  });
});

describe('the settings of boards', () => {
  const Shown = gated(() => <p>shown {useRowPx()}</p>);

  it('hides pages with a reason, and shows them again at once', async () => {
    const { set } = draw(<Shown />, { projectBoardsEnabled: false });
    expect(screen.getByText('Project boards are off')).toBeTruthy();
    expect(screen.getByText('View setting').getAttribute('href')).toBe('/settings?key=projectBoardsEnabled');
    expect(screen.queryByText(/shown/)).toBeNull();
    set('projectBoardsEnabled', true);
    expect(await screen.findByText(/shown/)).toBeTruthy();
  });

  it('gives each density higher lines than the one before, at once', async () => {
    const heights = ['dense', 'compact', 'comfortable', 'spacious'].map((density) => ROW_PX[density] ?? 0);
    for (const of of [heights, heights.map(entryPx)])
      expect(of.every((height, i) => i === 0 || height > of[i - 1]!)).toBe(true);
    const { set } = draw(<Shown />);
    for (const [density, height] of Object.entries(ROW_PX)) {
      set('pmBoardDensity', density);
      expect(await screen.findByText(`shown ${height}`)).toBeTruthy();
    }
  });

  it('forces a theme while a board is shown, and no longer', async () => {
    const theme = () => document.documentElement.dataset.boardTheme;
    const { set, unmount } = draw(<Shown />, { pmColorMode: 'dark' });
    expect(theme()).toBe('dark');
    set('pmColorMode', 'light');
    await waitFor(() => expect(theme()).toBe('light'));
    set('pmColorMode', 'system');
    await waitFor(() => expect(theme()).toBeUndefined());
    set('pmColorMode', 'dark');
    await waitFor(() => expect(theme()).toBe('dark'));
    unmount();
    expect(theme()).toBeUndefined();
  });
});
