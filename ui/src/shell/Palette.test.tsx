import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { setPreference } from '../preferences';
import { makeQueryClient } from '../query';
import { patchCachedSetting, SETTINGS_QUERY } from '../settings';
import Palette from './Palette';

const post = vi.fn<(path: string, body: unknown) => Promise<unknown>>(() => Promise.resolve({}));
/** Answers of this test, by path. */
const answers = new Map<string, unknown>();
const answer = (path: string, value: unknown) => answers.set(path, value);
const gets: { path: string; query: unknown }[] = [];
vi.mock('../api', async (original) => ({
  ...(await original<object>()),
  api: {
    post: (path: string, body: unknown) => post(path, body),
    get: (path: string, { query }: { query?: unknown } = {}) => {
      gets.push({ path, query });
      const known = answers.get(path);
      if (known) return Promise.resolve(known);
      if (path === '/boards') return Promise.resolve({ items: [{ id: 'b', name: 'Roadmap', itemCount: 3 }] });
      if (path === '/dashboards') return Promise.resolve({ items: [{ id: 'd', name: 'Figures' }] });
      if (path === '/workspaces') return Promise.resolve({ items: [{ id: 'w', name: 'Main' }] });
      return Promise.reject(new Error(`nobody answers ${path}`));
    },
  },
}));

const entries = () =>
  [...document.querySelectorAll('[role=menuitem]')].map((item) =>
    [...item.querySelectorAll('.list-text, .list-keys')].map(({ textContent }) => textContent).join(''),
  );
const OF_BOARDS = [
  /^Project boards/,
  /^Import a file as a board/,
  /^Roadmap/,
  /^Dashboards/,
  /^Create dashboard/,
  /^Figures/,
];

const boardsOn = () => {
  const client = makeQueryClient();
  const setting = { key: 'projectBoardsEnabled', title: 'Boards', description: '' };
  client.setQueryData(SETTINGS_QUERY, {
    revision: 1,
    settings: [{ ...setting, value: true, effect: { active: true, reasons: [] } }],
  });
  return client;
};
const open = (onClose = () => {}) =>
  render(
    <QueryClientProvider client={boardsOn()}>
      <Palette onClose={onClose} />
    </QueryClientProvider>,
  );
const session = (id: string, title: string, state: string) => ({ id, title, state, cwd: '/work', projectId: null });

afterEach(() => {
  answers.clear();
  localStorage.clear();
  setPreference('recent-commands', null);
  history.replaceState(null, '', '/');
});

describe('the palette', () => {
  it('lists what a setting shows, and leaves it out once the setting is off', async () => {
    const client = makeQueryClient();
    client.setQueryData(SETTINGS_QUERY, {
      revision: 1,
      settings: [{ key: 'projectBoardsEnabled', value: true, effect: { active: true, reasons: [] } }],
    });
    render(
      <QueryClientProvider client={client}>
        <Palette onClose={() => {}} />
      </QueryClientProvider>,
    );
    await screen.findByText('Roadmap');
    await screen.findByText('Figures');
    for (const entry of OF_BOARDS) expect(entries().filter((text) => entry.test(text))).toHaveLength(1);
    patchCachedSetting(client, 'projectBoardsEnabled', { value: false });
    await waitFor(() => expect(screen.queryByText('Roadmap')).toBeNull());
    for (const entry of OF_BOARDS) expect(entries().filter((text) => entry.test(text))).toEqual([]);
    expect(screen.getByText('Use the dark theme')).toBeTruthy();
  });

  it('finds items of all boards, asked for once typing rests, and keeps the view of the open board', async () => {
    history.replaceState(null, '', '/boards/b?view=v');
    const items = [
      { id: 'i1', name: 'Mend the sails', boardId: 'b', board: 'Roadmap' },
      { id: 'i2', name: 'Sew sails', boardId: 'b2', board: 'Loft' },
    ];
    answer('/boards/items/find', { items });
    open();
    await userEvent.type(await screen.findByRole('searchbox'), 'sails');
    expect((await screen.findByRole('menuitem', { name: /Sew sails/ })).textContent).toContain('Loft');
    const asked = gets.filter(({ path }) => path === '/boards/items/find').at(-1);
    expect(asked?.query).toEqual({ q: 'sails', workspaceId: 'w' });
    await userEvent.click(screen.getByRole('menuitem', { name: /Mend the sails/ }));
    expect(location.pathname + location.search).toBe('/boards/b?view=v&item=i1');
  });

  it('lists each page once, found by the words of its command too', async () => {
    open();
    await screen.findByText('Roadmap');
    for (const page of ['Inbox', 'Sessions']) {
      expect(entries().filter((text) => new RegExp(`^${page}(g \\w)?$`).test(text))).toHaveLength(1);
    }
    await userEvent.type(screen.getByRole('searchbox'), 'notifications');
    expect(entries()).toEqual(['Inboxg i']);
  });

  it('lists the actions of a session, and leaves them by Escape', async () => {
    answer('/sessions/find', { items: [session('s1', 'Fix the login', 'running')] });
    const onClose = vi.fn();
    open(onClose);
    await userEvent.type(await screen.findByRole('searchbox'), 'login');
    await screen.findByRole('menuitem', { name: /Fix the login/ });
    await userEvent.keyboard('{ArrowDown}{ArrowRight}');
    const field = await screen.findByRole('searchbox', { name: 'Actions for Fix the login' });
    expect(entries()).toEqual(['Open', 'Pause', 'Stop', 'Rename', 'Copy folder path']);
    await userEvent.keyboard('{Escape}');
    expect((field as HTMLInputElement).value).toBe('login');
    expect(onClose).not.toHaveBeenCalled();
    await screen.findByRole('menuitem', { name: /Fix the login/ });
    await userEvent.keyboard('{Tab}sto{Enter}');
    await waitFor(() => expect(post).toHaveBeenCalledWith('/sessions/s1/stop', {}));
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('puts what was chosen last on top while nothing is typed', async () => {
    open();
    await userEvent.click(await screen.findByText('Figures'));
    cleanup();
    open();
    await screen.findByText('Figures');
    expect(document.querySelector('.list-head')?.textContent).toBe('Recent');
    expect(entries()[0]).toBe('Figures');
    expect(entries().filter((text) => text.startsWith('Figures'))).toHaveLength(1);
    expect(localStorage.getItem('pilothouse.recent-commands')).toBe('dashboards.dashboard.d');
  });
});
