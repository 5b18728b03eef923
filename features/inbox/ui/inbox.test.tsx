import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
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
  ...more,
});

let rows: Row[] = [];
let kinds: object[] = [];
let count = { open: 0, unread: 0, waiting: 0, needsYou: 0, hiddenWaiting: 0 };

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
  kinds = [];
  count = { open: 0, unread: 0, waiting: 0, needsYou: 0, hiddenWaiting: 0 };
  api.get.mockImplementation((path) =>
    Promise.resolve(
      path.startsWith('/inbox/count') ? count : path === '/inbox/kinds' ? { kinds } : { items: rows, nextCursor: null },
    ),
  );
});

it('has hidden rows apart, and says how many of them wait', async () => {
  count = { ...count, hiddenWaiting: 2 };
  kinds = [
    { name: 'key', label: 'Key proposal', icon: 'star', waits: true, setting: 'inboxShowCliPending', hidden: true },
  ];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'View hidden (2 waiting)' }));
  expect(await screen.findByText('No hidden rows')).toBeTruthy();
  expect(api.get).toHaveBeenCalledWith('/inbox', expect.objectContaining({ query: { state: 'open', hidden: true } }));
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
  const shown = await screen.findByRole('row', { name: /<img/ });
  expect(shown.querySelector('img')).toBeNull();
  expect(within(shown).getByText('**not bold**')).toBeTruthy();
  expect(within(shown).getByText('Critical')).toBeTruthy();
  expect(within(shown).getByText('A session')).toBeTruthy();
});

it('dismisses the row in focus by a key, and no other', async () => {
  rows = [row('1'), row('2')];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  // Past the two buttons of the page's head.
  for (let n = 0; n < 3; n += 1) await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole('row', { name: 'Row 1' }));
  await userEvent.keyboard('{ArrowDown}');
  await userEvent.keyboard('e');
  await waitFor(() => expect(posted()).toEqual(['/inbox/2/dismiss']));
});

it('offers no dismissing of what waits for an answer', async () => {
  rows = [row('1', { kind: 'question', waits: true })];
  draw();
  await screen.findByRole('row', { name: 'Row 1' });
  expect(screen.queryByRole('button', { name: /Dismiss Row 1/ })).toBeNull();
  for (let n = 0; n < 3; n += 1) await userEvent.tab();
  await userEvent.keyboard('e');
  expect(posted()).toEqual([]);
});

it('opens a page of ours in place and marks the row as read', async () => {
  rows = [row('1', { link: '/app/boards/b1' })];
  const history = draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Open Row 1' }));
  expect(history.at(-1)).toBe('/boards/b1');
  await waitFor(() => expect(posted()).toEqual(['/inbox/1/read']));
});

it('knows where a link leads, and opens nothing else', () => {
  expect(target('/app/inbox?x=1')).toEqual({ page: '/inbox?x=1' });
  expect(target('https://user@example.org:8443/a')).toEqual({ site: 'example.org:8443' });
  expect(target('javascript:alert(1)')).toBeNull();
  expect(target('//x')).toBeNull();
});

it('marks all as read up to the newest that is shown', async () => {
  rows = [row('2'), row('1', { changedAt: '2026-01-02T03:04:09Z' })];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Mark all read' }));
  await waitFor(() =>
    expect(api.post).toHaveBeenCalledWith('/inbox/read', { rowId: '2', seenAt: '2026-01-02T03:04:09Z' }),
  );
});

it('counts what needs you beside the entry, else shows that rows are unread', async () => {
  count = { open: 5, unread: 3, waiting: 1, needsYou: 2, hiddenWaiting: 0 };
  draw(<InboxBadge />);
  expect((await screen.findByText('2')).textContent).toBe('2 need you');
  cleanup();
  count = { open: 5, unread: 3, waiting: 0, needsYou: 0, hiddenWaiting: 0 };
  draw(<InboxBadge />);
  expect(await screen.findByText('3 unread')).toBeTruthy();
});

it('answers an approval from its row, once, and leads to its session', async () => {
  rows = [
    row('1', {
      kind: 'approval',
      waits: true,
      sessionId: 's7',
      askId: '1-4',
      by: { kind: 'program', sessionId: 's7', memberId: null },
    }),
  ];
  let taken: (value: unknown) => void = () => {};
  api.post.mockImplementation(() => new Promise((resolve) => (taken = resolve)));
  draw();
  const shown = await screen.findByRole('row', { name: 'Row 1' });
  expect(within(shown).getByRole('link', { name: 'View session' }).getAttribute('href')).toBe('/sessions/s7');
  await userEvent.click(within(shown).getByRole('button', { name: 'Allow: Row 1' }));
  await userEvent.click(within(shown).getByRole('button', { name: 'Deny: Row 1' }));
  expect(api.post.mock.calls).toEqual([['/sessions/s7/asks/1-4/answer', { allow: true, always: false }]]);
  taken({});
});

it('says where an answer came too late, and reads the rows again', async () => {
  rows = [row('1', { kind: 'plan', waits: true, sessionId: 's7', askId: '1-4' })];
  draw();
  const shown = await screen.findByRole('row', { name: 'Row 1' });
  api.post.mockRejectedValueOnce(new Error('answered before'));
  rows = [];
  await userEvent.click(within(shown).getByRole('button', { name: 'Reject: Row 1' }));
  expect(await screen.findByText("You're all caught up")).toBeTruthy();
});

it('offers yes and no only where that is the answer', async () => {
  rows = [
    row('1', { kind: 'question', waits: true, sessionId: 's', askId: 'a' }),
    row('2', { kind: 'approval', waits: true }),
    row('3', { kind: 'approval', sessionId: 's', askId: 'a', waits: false }),
  ];
  draw();
  await screen.findByRole('row', { name: 'Row 3' });
  expect(screen.queryByRole('button', { name: /^Allow/ })).toBeNull();
});
