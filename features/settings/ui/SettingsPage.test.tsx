import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { makeQueryClient } from '@shell/query';
import { isPlanned, SETTINGS_QUERY, type Json, type Setting } from '@shell/settings';
import records from '@shell/testing/settings.json';
import ui from '.';
import { COMMON } from './model';
import SettingsPage from './SettingsPage';

/** Few of them, so that a list without layout is drawn quickly: the common ones, one more, and planned ones. */
const KEYS = ['heardAboutUs', 'trustedSheets', ...COMMON];
const settings = (records as unknown as Setting[]).filter(
  (one) => KEYS.includes(one.key) || one.section === 'diagnostics and bugs',
);
const PLANNED = settings.filter(isPlanned).length;

// Without layout the virtual list would draw nothing.
vi.mock('@tanstack/react-virtual', async (original) => ({
  ...(await original<object>()),
  useVirtualizer: ({ count, getItemKey }: { count: number; getItemKey: (at: number) => React.Key }) => ({
    getVirtualItems: () => Array.from({ length: count }, (_, index) => ({ index, key: getItemKey(index), start: 0 })),
    getTotalSize: () => 0,
    getVirtualItemForOffset: () => undefined,
    scrollToIndex: () => {},
    measureElement: () => {},
    range: null,
  }),
}));

const history = vi.hoisted(() => ({ items: [] as object[] }));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (path: string) =>
      Promise.resolve(
        path.startsWith('/settings/history') ? { items: history.items, nextCursor: null } : { revision: 1, settings },
      ),
  },
}));

function show(address = '/settings') {
  window.history.replaceState(null, '', address);
  const client = makeQueryClient();
  client.setQueryData(SETTINGS_QUERY, { revision: 1, settings });
  render(
    <QueryClientProvider client={client}>
      <SettingsPage />
    </QueryClientProvider>,
  );
}
const row = (key: string) => document.querySelector<HTMLElement>(`.row[data-key="${key}"]`);
const fold = () => screen.getByRole('button', { name: /^Planned \(/ });

beforeEach(() => (history.items = []));

it('folds planned settings under one closed section, opened with the keyboard, with rows that are disabled', async () => {
  show();
  expect(fold().textContent).toBe(`Planned (${PLANNED})`);
  expect(fold().getAttribute('aria-expanded')).toBe('false');
  expect(row('bugIntakeEnabled')).toBeNull();
  fold().focus();
  await userEvent.keyboard('{Enter}');
  expect(fold().getAttribute('aria-expanded')).toBe('true');
  const bugs = row('bugIntakeEnabled')!;
  expect(bugs.getAttribute('data-planned')).toBe('true');
  expect(within(bugs).getByRole<HTMLInputElement>('switch').disabled).toBe(true);
  expect(
    within(row('trustedSheets')!).getByRole<HTMLButtonElement>('button', { name: /^Trusted sheets: ?none$/ }).disabled,
  ).toBe(true);
  await userEvent.keyboard(' ');
  expect(row('bugIntakeEnabled')).toBeNull();
});

it('finds planned settings by words, and opens the section while a search matches', async () => {
  show();
  const search = screen.getByRole('searchbox');
  await userEvent.type(search, 'bug');
  expect(fold().textContent).toBe('Planned (3)');
  expect(row('bugIntakeEnabled')).toBeTruthy();
  await userEvent.click(fold());
  expect(row('bugIntakeEnabled')).toBeNull();
  await userEvent.clear(search);
  expect(fold().getAttribute('aria-expanded')).toBe('false');
});

it('opens the section for an address that names a planned setting', () => {
  show('/settings?key=bugIntakeEnabled');
  expect(row('bugIntakeEnabled')).toBeTruthy();
});

it('has common settings and pages on top, each usable in place and nowhere twice', async () => {
  show();
  const headings = screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
  expect(headings).toContain('Common');
  const rows = [...document.querySelectorAll<HTMLElement>('.row')].map((one) => one.dataset.key);
  expect(rows.slice(0, 3)).toEqual(['pmColorMode', 'pmBoardDensity', 'agentPermissionLevel']);
  expect(new Set(rows).size).toBe(rows.length);
  expect(within(row('agentAlertsEnabled')!).getByRole<HTMLInputElement>('switch').disabled).toBe(false);
  expect(screen.getByRole('link', { name: /^Engines/ }).getAttribute('href')).toBe('/engines');
  await userEvent.type(screen.getByRole('searchbox'), 'agentPermissionLevel');
  expect(screen.queryByRole('heading', { name: 'Common' })).toBeNull();
  expect(row('agentPermissionLevel')).toBeTruthy();
});

it.each<[string, Json, Json, string]>([
  ['agentAlertsEnabled', null, false, 'on became off'],
  ['agentAlertsEnabled', false, null, 'off became on'],
  ['toastDisplayDurationSeconds', null, 12, '8 s became 12 s'],
  ['agentPermissionLevel', 'full', null, 'full became guarded'],
  ['goneInThisVersion', null, 5, 'default became 5'],
])('shows the values that were in force in the history of %s: %j to %j', async (key, from, to, words) => {
  history.items = [
    { change: 'c1', key, from, to, at: '2026-01-02T03:04:05Z', actor: { kind: 'owner' }, undone: false },
  ];
  show('/settings?history=all');
  await screen.findByRole('button', { name: /^Undo:/ });
  expect(document.querySelector('.change-values')?.textContent.replace(/\s+/g, ' ')).toBe(words);
});

it('leaves planned settings out of the commands', () => {
  const seen: string[] = [];
  const Commands = () => {
    seen.push(...ui.useCommands!().map((command) => command.id));
    return null;
  };
  const client = makeQueryClient();
  client.setQueryData(SETTINGS_QUERY, { revision: 1, settings });
  render(
    <QueryClientProvider client={client}>
      <Commands />
    </QueryClientProvider>,
  );
  expect(seen).toContain('settings.agentAlertsEnabled');
  expect(seen).not.toContain('settings.alarmsEnabled');
  expect(seen).toHaveLength(settings.length - PLANNED);
});
