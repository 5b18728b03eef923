import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { takeOffered } from '@shell/newSession';
import { setPreference } from '@shell/preferences';
import { target, type Row } from './data';
import { InboxBadge } from './InboxBadge';
import InboxPage from './InboxPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));

const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  kind: 'alert',
  title: `Row ${id}`,
  body: '',
  severity: 'info',
  link: null,
  sessionId: null,
  projectId: null,
  boardId: null,
  askId: null,
  by: { kind: 'cli', sessionId: null, memberId: null },
  createdAt: '2026-01-02T03:04:05Z',
  changedAt: '2026-01-02T03:04:05Z',
  read: false,
  state: 'open',
  waits: false,
  outcome: '',
  snoozedUntil: null,
  followUpAt: null,
  attachments: [],
  ...more,
});

let rows: Row[] = [];
let groups: { id: string; rows: number; unread: number }[] | undefined;
let kinds: object[] = [];
let count = { open: 0, unread: 0, waiting: 0, needsYou: 0, snoozed: 0, hiddenWaiting: 0 };

function draw(content = <InboxPage />) {
  const { hook, searchHook, history } = memoryLocation({ path: '/inbox', record: true });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        {content}
      </Router>
    </QueryClientProvider>,
  );
  return history;
}

/** The paths that were posted to. */
const posted = () => api.post.mock.calls.map(([path]) => path);

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  rows = [];
  groups = undefined;
  kinds = [];
  count = { open: 0, unread: 0, waiting: 0, needsYou: 0, snoozed: 0, hiddenWaiting: 0 };
  // The virtual list draws what is visible.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
  setPreference('inbox.group', null);
  api.get.mockImplementation((path, options) => {
    const { query = {} } = (options ?? {}) as { query?: { skip?: number; limit?: number; projectId?: string } };
    const listed = rows.filter((one) => query.projectId === undefined || (one.projectId ?? '') === query.projectId);
    const skip = query.skip ?? 0;
    const answers: Record<string, unknown> = {
      '/inbox/count': count,
      '/inbox/kinds': { kinds },
      '/inbox/groups': { items: groups ?? (rows.length ? [{ id: '', rows: rows.length, unread: 0 }] : []) },
      '/inbox': { items: listed.slice(skip, skip + (query.limit ?? 200)), nextCursor: null },
      '/hubs': { items: [{ id: 'h1', name: 'Site' }], nextCursor: null },
      '/boards': { items: [], nextCursor: null },
      '/inbox/1/start-hub': { projectId: 'h1', notice: '' },
    };
    return Promise.resolve(answers[path]);
  });
});

it('has hidden rows apart, and says how many of them wait', async () => {
  count = { ...count, hiddenWaiting: 2 };
  kinds = [
    { name: 'key', label: 'Key proposal', icon: 'star', waits: true, setting: 'inboxShowCliPending', hidden: true },
  ];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'View hidden (2 waiting)' }));
  expect(await screen.findByText('No hidden rows')).toBeTruthy();
  expect(api.get).toHaveBeenCalledWith(
    '/inbox/groups',
    expect.objectContaining({ query: { state: 'open', hidden: true, by: 'none' } }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'View open' }));
  expect(await screen.findByText("You're all caught up")).toBeTruthy();
});

it('teaches how rows come where there is none', async () => {
  draw();
  expect(await screen.findByText("You're all caught up")).toBeTruthy();
  expect(screen.getByText('Requests and alerts from agents appear here.')).toBeTruthy();
});

it('shows what agents write as text, with who wrote it and how urgent it is', async () => {
  rows = [
    row('1', {
      title: '<img src=x onerror=alert(1)>',
      body: '**not bold**',
      severity: 'critical',
      by: { kind: 'agent', sessionId: 's7', memberId: null },
    }),
  ];
  draw();
  const detail = await screen.findByRole('article', { name: /<img/ });
  expect(document.querySelector('img')).toBeNull();
  expect(within(detail).getByText('**not bold**')).toBeTruthy();
  expect(within(detail).getByText('Critical')).toBeTruthy();
  expect(within(detail).getByText('A session')).toBeTruthy();
});

const activeRow = () => document.querySelector('[data-active]')?.getAttribute('aria-label');

it('moves through rows by keys, and acts on the active one and no other', async () => {
  rows = [row('1', { read: true }), row('2', { read: true }), row('3', { read: true })];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  expect(activeRow()).toBe('Row 1');
  await userEvent.keyboard('jj');
  expect(activeRow()).toBe('Row 3');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('row', { name: 'Row 3' })));
  await userEvent.keyboard('{ArrowUp}');
  expect(activeRow()).toBe('Row 2');
  await userEvent.keyboard('u');
  await waitFor(() => expect(posted()).toEqual(['/inbox/2/unread']));
  api.post.mockClear();
  await userEvent.keyboard('e');
  await waitFor(() => expect(posted()).toEqual(['/inbox/2/dismiss']));
  await userEvent.keyboard('{End}');
  expect(activeRow()).toBe('Row 3');
  await userEvent.keyboard('{Home}');
  expect(activeRow()).toBe('Row 1');
});

it('goes on with the row that takes the position of one that is gone', async () => {
  rows = [row('1'), row('2'), row('3')];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  await userEvent.keyboard('j');
  rows = [row('1'), row('3')];
  await userEvent.keyboard('e');
  await waitFor(() => expect(activeRow()).toBe('Row 3'));
  rows = [row('0'), row('1'), row('3')];
  await userEvent.keyboard('u');
  await waitFor(() => expect(screen.getByRole('row', { name: 'Row 0' })).toBeTruthy());
  expect(activeRow()).toBe('Row 1');
});

it('undoes the last dismissal by a key', async () => {
  rows = [row('1')];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  await userEvent.keyboard('e');
  await waitFor(() => expect(posted()).toEqual(['/inbox/1/dismiss']));
  await userEvent.keyboard('z');
  await waitFor(() => expect(posted()).toEqual(['/inbox/1/dismiss', '/inbox/1/restore']));
  await userEvent.keyboard('z');
  expect(posted()).toHaveLength(2);
});

it('dismisses the selected rows together, and all that match', async () => {
  rows = [row('1'), row('2'), row('3')];
  api.post.mockResolvedValue({ batchId: 'b', dismissed: 2, waiting: 1 });
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  await userEvent.keyboard('xjjx');
  expect(screen.getByText('2 selected')).toBeTruthy();
  await userEvent.keyboard('e');
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/inbox/dismiss', { rowIds: ['1', '3'] }));
  await userEvent.click(await screen.findByRole('button', { name: 'Dismiss all' }));
  await waitFor(() =>
    expect(api.post).toHaveBeenLastCalledWith('/inbox/dismiss', {
      match: { state: 'open' },
      seenAt: expect.stringMatching(/^20.*Z$/) as string,
    }),
  );
  await userEvent.keyboard('z');
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/inbox/restore', { batchId: 'b' }));
});

it('offers no dismissing of what waits for an answer', async () => {
  rows = [row('1', { kind: 'question', waits: true })];
  draw();
  await screen.findByRole('article', { name: 'Row 1' });
  expect(screen.queryByRole('button', { name: 'Dismiss' })).toBeNull();
  await userEvent.keyboard('e');
  expect(posted()).toEqual([]);
});

it('opens a page of ours in place and marks the row as read', async () => {
  rows = [row('1', { link: '/app/boards/b1' })];
  const history = draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Open' }));
  expect(history.at(-1)).toBe('/boards/b1');
  await waitFor(() => expect(posted()).toEqual(['/inbox/1/read']));
});

it('snoozes by a preset or in words, and says why a time is none', async () => {
  rows = [row('1', { read: true })];
  api.post.mockResolvedValue({ snoozedUntil: '2026-01-03T09:00:00Z' });
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  await userEvent.keyboard('s');
  await userEvent.click(await screen.findByRole('button', { name: 'Tomorrow' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/inbox/1/snooze', { until: 'tomorrow 9am' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await userEvent.keyboard('s');
  api.post.mockRejectedValueOnce(new Error('Use `in 2 hours`.'));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Time' }), 'soon{Enter}');
  expect(await screen.findByText('Use `in 2 hours`.')).toBeTruthy();
  await userEvent.type(screen.getByRole('textbox', { name: 'Time' }), ' in 2 hours{Enter}');
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/inbox/1/snooze', { until: 'soon in 2 hours' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('sets a reminder and cancels it', async () => {
  rows = [row('1', { followUpAt: '2026-01-03T09:00:00Z' })];
  api.post.mockResolvedValue({ followUpAt: null });
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Change reminder' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel reminder' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/inbox/1/follow-up', {}));
});

it('searches and filters, and says where nothing matches', async () => {
  rows = [row('1')];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  rows = [];
  await userEvent.keyboard('/');
  await userEvent.keyboard('disk');
  expect(await screen.findByText('No matching rows')).toBeTruthy();
  expect(api.get).toHaveBeenCalledWith(
    '/inbox/groups',
    expect.objectContaining({ query: { state: 'open', q: 'disk', by: 'none' } }),
  );
  rows = [row('1')];
  await userEvent.click(screen.getAllByRole('button', { name: 'Clear filters' })[0]!);
  expect(await screen.findByRole('row', { name: 'Row 1' })).toBeTruthy();
});

it('groups rows by hub', async () => {
  setPreference('inbox.group', 'hub');
  rows = [row('1'), row('2', { projectId: 'h1' })];
  groups = [
    { id: 'h1', rows: 1, unread: 1 },
    { id: '', rows: 1, unread: 1 },
  ];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  expect(screen.getAllByRole('rowheader').map((head) => head.textContent)).toEqual(['Site 1', 'No hub 1']);
  expect(screen.getAllByRole('row').map((line) => line.getAttribute('aria-label'))).toEqual([
    null,
    'Row 2',
    null,
    'Row 1',
  ]);
});

it('draws and loads only what is in view of 100,000 rows', async () => {
  rows = Array.from({ length: 300 }, (_, n) => row(String(n)));
  groups = [{ id: '', rows: 100_000, unread: 0 }];
  draw();
  await screen.findByRole('row', { name: 'Row 0' });
  expect(screen.getAllByRole('row').length).toBeLessThan(60);
  expect(api.get.mock.calls.filter(([path]) => path === '/inbox')).toHaveLength(1);
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('100000');
  await userEvent.keyboard('{End}');
  await waitFor(() =>
    expect(api.get).toHaveBeenCalledWith(
      '/inbox',
      expect.objectContaining({ query: { state: 'open', limit: 200, skip: 99_800 } }),
    ),
  );
});

it('shows attachments with where they lead, and nothing that a click must not open', async () => {
  rows = [
    row('1', {
      attachments: [
        { label: 'Log', url: 'https://ci.example.org/1' },
        { label: 'Board', url: '/app/boards/b1' },
        { label: 'Bad', url: 'javascript:alert(1)' },
      ],
    }),
  ];
  draw();
  const list = await screen.findByRole('list', { name: 'Attachments' });
  expect(within(list).getByRole('link', { name: 'Log' }).getAttribute('rel')).toBe('noopener noreferrer');
  expect(within(list).getByText('ci.example.org')).toBeTruthy();
  expect(within(list).getByRole('link', { name: 'Board' }).getAttribute('href')).toBe('/boards/b1');
  expect(within(list).queryByRole('link', { name: 'Bad' })).toBeNull();
});

it('starts a session on an alert with its text as a quote', async () => {
  rows = [row('1', { title: 'Disk full', body: 'a\nb' })];
  const history = draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Start session' }));
  await waitFor(() => expect(history.at(-1)).toBe('/sessions?new=h1'));
  expect(takeOffered()).toBe('> Disk full\n> a\n> b');
});

it('knows where a link leads, and opens nothing else', () => {
  expect(target('/app/inbox?x=1')).toEqual({ page: '/inbox?x=1' });
  expect(target('https://user@example.org:8443/a')).toEqual({ site: 'example.org:8443' });
  expect(target('javascript:alert(1)')).toBeNull();
  expect(target('//x')).toBeNull();
});

it('marks all as read up to the newest that is shown', async () => {
  count = { ...count, unread: 2 };
  rows = [row('2'), row('1')];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Mark all read' }));
  await waitFor(() =>
    expect(api.post).toHaveBeenCalledWith('/inbox/read', {
      rowId: '2',
      seenAt: expect.stringMatching(/^20.*Z$/) as string,
    }),
  );
});

it('counts what needs you beside the entry, else shows that rows are unread', async () => {
  count = { open: 5, unread: 3, waiting: 1, needsYou: 2, snoozed: 0, hiddenWaiting: 0 };
  draw(<InboxBadge />);
  expect((await screen.findByText('2')).textContent).toBe('2 need you');
  cleanup();
  count = { open: 5, unread: 3, waiting: 0, needsYou: 0, snoozed: 0, hiddenWaiting: 0 };
  draw(<InboxBadge />);
  expect(await screen.findByText('3 unread')).toBeTruthy();
});

it('answers an approval by a key, and leads to its session', async () => {
  const by = { kind: 'program', sessionId: 's7', memberId: null };
  rows = [
    row('1', { kind: 'approval', waits: true, sessionId: 's7', askId: '1-4', by }),
    row('2', { kind: 'question', waits: true, sessionId: 's7', askId: '1-5', by }),
  ];
  draw();
  const detail = await screen.findByRole('article', { name: 'Row 1' });
  expect(within(detail).getByRole('link', { name: 'View session' }).getAttribute('href')).toBe('/sessions/s7');
  await userEvent.keyboard('a');
  await waitFor(() =>
    expect(api.post.mock.calls).toEqual([['/sessions/s7/asks/1-4/answer', { allow: true, always: false }]]),
  );
  await userEvent.keyboard('jd');
  expect(api.post).toHaveBeenCalledTimes(1);
});

it('says where an answer came too late, and reads the rows again', async () => {
  rows = [row('1', { kind: 'plan', waits: true, sessionId: 's7', askId: '1-4' })];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  api.post.mockRejectedValueOnce(new Error('answered before'));
  rows = [];
  await userEvent.keyboard('d');
  expect(await screen.findByText("You're all caught up")).toBeTruthy();
});
