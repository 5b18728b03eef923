import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import ApprovalBody from './ApprovalBody';
import { scheduleOf, type ScheduledMessage } from './data';
import MessagesPage from './MessagesPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), patch: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'patch', 'delete'] as const).map((method) => [
      method,
      (...args: Parameters<Send>) => api[method](...args),
    ]),
  ),
}));

const AT = '2026-03-01T12:00:00.000Z';
const MESSAGE: ScheduledMessage = {
  id: 'm1',
  title: 'Metrics',
  body: 'Read the **metrics**',
  target: 'inbox',
  sessionId: null,
  hubId: null,
  on: true,
  time: '09:00',
  date: null,
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  timeZone: 'UTC',
  nextAt: '2126-03-01T09:00:00.000Z',
  approval: 'none',
  bySessionId: null,
  sent: 0,
  lastAt: null,
  problem: '',
  createdAt: AT,
  changedAt: AT,
};
let messages: ScheduledMessage[] = [];

function draw(content = <MessagesPage />) {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      {content}
      <ToastRegion />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  messages = [MESSAGE];
  api.get.mockImplementation((path) => {
    if (path.startsWith('/hubs')) return Promise.resolve({ items: [{ id: 'h1', name: 'Site' }], nextCursor: null });
    if (path.startsWith('/sessions')) return Promise.resolve({ items: [], nextCursor: null });
    if (path.startsWith('/scheduled-messages/')) return Promise.resolve(messages[0]);
    return Promise.resolve({ items: messages, nextCursor: null });
  });
  api.post.mockImplementation((path) =>
    Promise.resolve(path.endsWith('/understand') ? { ...MESSAGE, title: 'Tea', nextAt: AT } : {}),
  );
});

it('names a schedule with its zone only if that differs', () => {
  expect([scheduleOf(MESSAGE, 'UTC'), scheduleOf(MESSAGE, 'Asia/Tokyo')]).toEqual([
    '09:00, Weekdays',
    '09:00, Weekdays, UTC',
  ]);
});

it('shows how a time is understood and what the Markdown looks like, and schedules', async () => {
  messages = [];
  draw();
  expect(await screen.findByText('No scheduled messages')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'New message' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Schedule' }));
  expect(within(dialog).getByText('Enter a time.')).toBeTruthy();
  expect(within(dialog).getByText('Enter a message.')).toBeTruthy();
  await userEvent.type(within(dialog).getByLabelText('When'), 'weekdays at 9');
  expect(await within(dialog).findByText(/Understood as 09:00, Weekdays/)).toBeTruthy();
  await userEvent.type(within(dialog).getByLabelText('Text'), '**Tea** <b>x</b>');
  const preview = await within(dialog).findByRole('region', { name: 'Preview' });
  await waitFor(() => expect(preview.querySelector('strong')?.textContent).toBe('Tea'));
  expect(preview.querySelector('b')).toBeNull();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Schedule' }));
  await waitFor(() =>
    expect(api.post).toHaveBeenCalledWith('/scheduled-messages', { body: '**Tea** <b>x</b>', when: 'weekdays at 9' }),
  );
});

it('sends only what changed', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Metrics' }));
  const title = await screen.findByLabelText('Title');
  await userEvent.clear(title);
  await userEvent.type(title, 'Numbers');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/scheduled-messages/m1', { title: 'Numbers' }));
});

it('runs, pauses, and deletes with undo', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Send Metrics now' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/scheduled-messages/m1/run'));
  await userEvent.click(screen.getByRole('switch', { name: 'Metrics' }));
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/scheduled-messages/m1', { on: false }));
  await userEvent.click(screen.getByRole('button', { name: 'Delete Metrics' }));
  await waitFor(() => expect(api.delete.mock.lastCall?.[0]).toBe('/scheduled-messages/m1'));
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/scheduled-messages/m1/restore'));
});

it("approves an agent's message in the inbox, and asks no more once the row is over", async () => {
  messages = [{ ...MESSAGE, approval: 'waiting', target: 'session', sessionId: 's1' }];
  draw(
    <>
      <ApprovalBody body="Read the **metrics**" link="/app/scheduled-messages?message=m1" isOpen />
      <ApprovalBody body="Over" link="/app/scheduled-messages?message=m2" isOpen={false} />
    </>,
  );
  expect(await screen.findByText(/Sends it to a session: 09:00, Weekdays/)).toBeTruthy();
  expect(screen.getAllByRole('button', { name: 'Approve' })).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Deny' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/scheduled-messages/m1/deny'));
});
