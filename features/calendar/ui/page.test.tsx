import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import { ToastRegion } from '@shell/components';
import { setPreference } from '@shell/preferences';
import CalendarPage from './CalendarPage';
import type { BoardEntry, Calendar, Occurrence, SessionEntry } from './types';
import { Upcoming } from './Upcoming';

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

/** A time in the browser's zone. */
const at = (day: number, hour: number, minute = 0) => new Date(2026, 2, day, hour, minute).toISOString();
const sentAt = (...when: Parameters<typeof at>) => at(...when).replace('.000Z', 'Z');

const WORK: Calendar = {
  ...{ id: 'c1', accountId: null, name: 'Work', color: '#5b72d6', isShown: true, isWritable: true },
  ...{ kind: 'local', problem: null, syncedAt: null },
};
const CALL: Occurrence = {
  ...{ eventId: 'e1', occurrence: null, calendarId: 'c1', title: 'Call', location: '', notes: '', url: null },
  ...{ start: at(4, 9), end: at(4, 10), allDay: false, timeZone: null, zoneUnknown: false, isRecurring: false },
  ...{ repeat: null, status: 'confirmed', organizer: null, attendees: [], myResponse: null, reminderMinutes: null },
  isPending: false,
};
const STAND_UP: Occurrence = {
  ...CALL,
  ...{ eventId: 'e2', occurrence: '20260305T090000Z', title: 'Stand-up', start: at(5, 9), end: at(5, 9, 30) },
  ...{ isRecurring: true, repeat: { frequency: 'daily', interval: 1 } },
};

let calendars: Calendar[] = [];
let events: Occurrence[] = [];
let board: BoardEntry[] = [];
let sessions: SessionEntry[] = [];
let weekStart = 'monday';

function draw(path = '/calendar?view=month&date=2026-03-04') {
  const memory = memoryLocation({ path, record: true });
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <Router hook={memory.hook} searchHook={memory.searchHook}>
        <Upcoming />
        <CalendarPage />
        <ToastRegion />
      </Router>
    </QueryClientProvider>,
  );
  return memory.history;
}

const entry = (name: RegExp) => screen.findByRole('button', { name });
async function focus(name: RegExp) {
  const found = await entry(name);
  found.focus();
  return found;
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  for (const name of ['view', 'sessions', 'side']) setPreference(`calendar.${name}`, null);
  [calendars, events, board, sessions, weekStart] = [[WORK], [CALL, STAND_UP], [], [], 'monday'];
  api.get.mockImplementation((path) => {
    if (path === '/settings') {
      const values = { calendarWeekStartDay: weekStart, pmCalendarOverlayEnabled: true, calendarReminderMinutes: 10 };
      return Promise.resolve({ revision: 1, settings: Object.entries(values).map(([key, value]) => ({ key, value })) });
    }
    if (path === '/calendar/calendars') return Promise.resolve({ items: calendars });
    if (path === '/calendar/events') return Promise.resolve({ items: events, board, sessions, truncated: false });
    return Promise.resolve({ items: [] });
  });
  api.delete.mockResolvedValue({ undo: 'u1' });
});

it('begins weeks on the day of the settings, and turns pages by key', async () => {
  weekStart = 'sunday';
  const history = draw();
  await entry(/^Call/);
  expect(screen.getAllByRole('columnheader')[0]!.getAttribute('aria-label')).toBe('Sunday');
  await userEvent.keyboard('j');
  expect(history.at(-1)).toBe('/calendar?view=month&date=2026-04-04');
  await userEvent.keyboard('{ArrowLeft}k');
  expect(history.at(-1)).toBe('/calendar?view=month&date=2026-02-04');
  await userEvent.keyboard('w');
  expect(history.at(-1)).toBe('/calendar?view=week&date=2026-02-04');
  await waitFor(() => expect(document.activeElement?.getAttribute('data-focus')).not.toBeNull());
  expect(screen.getAllByRole('columnheader')).toHaveLength(8);
});

it('moves the focus in the grid, into the events of a day, and back', async () => {
  const history = draw();
  await entry(/^Call/);
  screen.getByRole('gridcell', { name: /4 March 2026|March 4, 2026/ }).focus();
  await userEvent.keyboard('{ArrowRight}{ArrowDown}{ArrowUp}{ArrowLeft}');
  expect(history.at(-1)).toBe('/calendar?view=month&date=2026-03-04');
  await userEvent.keyboard('{Enter}');
  expect(document.activeElement).toBe(await entry(/^Call/));
  await userEvent.keyboard('{Escape}');
  expect(document.activeElement?.getAttribute('role')).toBe('gridcell');
});

it('moves an event by day and by 15 minutes, one after the other, and keeps the focus on it', async () => {
  draw();
  await focus(/^Call/);
  api.patch.mockImplementation((_, body) => {
    events = [{ ...CALL, ...(body as object) }];
    return Promise.resolve(events[0]);
  });
  await userEvent.keyboard('{Alt>}{ArrowRight}{/Alt}');
  await waitFor(() =>
    expect(api.patch).toHaveBeenCalledWith('/calendar/events/e1', { start: sentAt(5, 9), end: sentAt(5, 10) }),
  );
  await screen.findByRole('button', { name: 'Undo' });
  await waitFor(() => expect(document.activeElement?.getAttribute('data-key')).toBe('e1/'));
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  await waitFor(() =>
    expect(api.patch).toHaveBeenLastCalledWith('/calendar/events/e1', {
      start: sentAt(5, 9, 15),
      end: sentAt(5, 10, 15),
    }),
  );
  await waitFor(async () => {
    await userEvent.click(screen.getAllByRole('button', { name: 'Undo' })[0]!);
    expect(api.patch).toHaveBeenLastCalledWith('/calendar/events/e1', { start: sentAt(5, 9), end: sentAt(5, 10) });
  });
});

it('asks which events of a series move, and moves none if that is canceled', async () => {
  draw();
  await focus(/^Stand-up/);
  await userEvent.keyboard('{Alt>}{ArrowLeft}{/Alt}');
  const dialog = await screen.findByRole('dialog', { name: 'Move repeating event' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.patch).not.toHaveBeenCalled();
  (await entry(/^Stand-up/)).focus();
  await userEvent.keyboard('{Alt>}{ArrowLeft}{/Alt}');
  await userEvent.click(await screen.findByRole('button', { name: 'This and following' }));
  await waitFor(() =>
    expect(api.patch).toHaveBeenCalledWith('/calendar/events/e2', {
      ...{ occurrence: STAND_UP.occurrence, scope: 'following' },
      ...{ start: sentAt(4, 9), end: sentAt(4, 9, 30) },
    }),
  );
});

it('saves what changed for the chosen events of a series', async () => {
  draw();
  await userEvent.click(await entry(/^Stand-up/));
  const title = await screen.findByLabelText('Title');
  await userEvent.clear(title);
  await userEvent.type(title, 'Daily');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save repeating event' });
  expect(
    within(dialog)
      .getAllByRole('button', { name: /events?$|following$/ })
      .map((one) => one.textContent),
  ).toEqual([...['This event', 'This and following', 'All events']]);
  await userEvent.click(within(dialog).getByRole('button', { name: 'This event' }));
  await waitFor(() =>
    expect(api.patch).toHaveBeenCalledWith('/calendar/events/e2', {
      ...{ occurrence: STAND_UP.occurrence, scope: 'this', title: 'Daily' },
    }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('changes the rule of all or the following events only, and keeps the form if saving fails', async () => {
  draw();
  await userEvent.click(await entry(/^Stand-up/));
  await userEvent.click(await screen.findByRole('button', { name: /Repeat$/ }));
  await userEvent.click(await screen.findByRole('option', { name: 'Every month' }));
  api.patch.mockRejectedValue(
    new ApiError(409, { code: 'calendar-conflict', detail: 'The server has a newer version.' }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const dialog = await screen.findByRole('dialog', { name: 'Save repeating event' });
  expect(within(dialog).queryByRole('button', { name: 'This event' })).toBeNull();
  await userEvent.click(within(dialog).getByRole('button', { name: 'All events' }));
  expect(await screen.findByText('The server has a newer version.')).toBeTruthy();
  expect(api.patch.mock.lastCall?.[1]).toEqual({
    ...{ occurrence: STAND_UP.occurrence, scope: 'all', repeat: { frequency: 'monthly', interval: 1 } },
  });
  expect(screen.getByLabelText('Title')).toBeTruthy();
});

it('deletes an event by key, and restores it', async () => {
  draw();
  await focus(/^Call/);
  await userEvent.keyboard('{Delete}');
  await waitFor(() => expect(api.delete).toHaveBeenCalledWith('/calendar/events/e1', { query: {} }));
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/calendar/events/restore', { undo: 'u1' }));
  (await entry(/^Stand-up/)).focus();
  await userEvent.keyboard('{Delete}');
  await userEvent.click(await screen.findByRole('button', { name: 'This event' }));
  const query = { occurrence: STAND_UP.occurrence, scope: 'this' };
  await waitFor(() => expect(api.delete).toHaveBeenLastCalledWith('/calendar/events/e2', { query }));
});

it('creates an event with a key and with a click', async () => {
  const history = draw();
  await entry(/^Call/);
  await userEvent.keyboard('c');
  await userEvent.click(await screen.findByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Enter a title.')).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Title'), 'Lunch');
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(api.post).toHaveBeenCalledWith('/calendar/events', {
      ...{ calendarId: 'c1', title: 'Lunch', start: sentAt(4, 9), end: sentAt(4, 10), allDay: false },
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await userEvent.click(screen.getByRole('gridcell', { name: /10 March 2026|March 10, 2026/ }));
  await userEvent.type(await screen.findByLabelText('Title'), 'Trip');
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  const trip = { calendarId: 'c1', title: 'Trip', allDay: true, start: '2026-03-10', end: '2026-03-11' };
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/calendar/events', trip));
  expect(history.at(-1)).toContain('date=2026-03-');
});

it('creates an event at the time that the keyboard chose', async () => {
  draw('/calendar?view=day&date=2026-03-06');
  const column = await screen.findByRole('gridcell', { name: /09:00|9:00/ });
  column.focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}{Enter}');
  await userEvent.type(await screen.findByLabelText('Title'), 'Lunch');
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(api.post.mock.lastCall?.[1]).toMatchObject({ start: sentAt(6, 10), end: sentAt(6, 11), allDay: false }),
  );
});

it('opens the new event of the command, and takes it out of the address', async () => {
  const history = draw('/calendar?new');
  expect(await screen.findByRole('dialog', { name: 'New event' })).toBeTruthy();
  expect(history.at(-1)).toMatch(/^\/calendar\?view=month&date=\d{4}-\d\d-\d\d$/);
});

it('shows more events than fit in the view of the day', async () => {
  events = Array.from({ length: 9 }, (_, index) => ({ ...CALL, eventId: `m${index}`, title: `Meeting ${index}` }));
  const history = draw();
  await userEvent.click(await screen.findByRole('button', { name: /^6 more on/ }));
  expect(history.at(-1)).toBe('/calendar?view=day&date=2026-03-04');
  expect(await screen.findAllByRole('button', { name: /^Meeting/ })).toHaveLength(9);
});

it('answers an invitation, and marks what is declined, pending, and of an unknown zone', async () => {
  events = [
    {
      ...CALL,
      organizer: 'Ana',
      attendees: [{ name: 'Ben', email: 'b@x.io', response: 'accepted' }],
      myResponse: 'declined',
    },
    { ...CALL, eventId: 'e3', title: 'Talk', isPending: true, zoneUnknown: true },
  ];
  draw();
  expect((await entry(/^Talk, .*not sent yet, time zone unknown$/)).dataset.look).toBe('plain');
  const call = await entry(/^Call, .*declined$/);
  expect(call.dataset.look).toBe('declined');
  await userEvent.click(call);
  expect(await screen.findByText('Ben, accepted')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Maybe' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/calendar/events/e1/respond', { response: 'tentative' }));
});

it("doesn't change events of a subscription", async () => {
  calendars = [{ ...WORK, isWritable: false, kind: 'subscription' }];
  draw();
  await focus(/^Call/);
  await userEvent.keyboard('{Alt>}{ArrowRight}{/Alt}{Delete}{Enter}');
  expect(await screen.findByText("Work can't be changed here.")).toBeTruthy();
  expect([api.patch, api.delete].flatMap(({ mock }) => mock.calls)).toEqual([]);
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});

it('hides a calendar, shows its problem, and shows sessions on demand', async () => {
  calendars = [{ ...WORK, kind: 'caldav', accountId: 'a1', problem: 'The server returned 401.' }];
  sessions = [{ sessionId: 's1', title: 'Fix', start: at(4, 11), end: at(4, 12) }];
  api.get.mockImplementation(
    (
      (before) =>
      (path: string, ...rest: unknown[]) =>
        path === '/calendar/accounts'
          ? Promise.resolve({ items: [{ id: 'a1', url: 'https://dav.example.com/', username: 'ana' }] })
          : before(path, ...rest)
    )(api.get.getMockImplementation()!),
  );
  draw();
  await entry(/^Call/);
  expect(await screen.findByText('The server returned 401.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Sync now' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/calendar/accounts/a1/sync', {}));
  expect(screen.queryByText('1 session')).toBeNull();
  await userEvent.click(screen.getByRole('switch', { name: 'Sessions' }));
  expect(await screen.findByText('1 session')).toBeTruthy();
  await userEvent.click(screen.getByRole('checkbox', { name: 'Work' }));
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/calendar/calendars/c1', { isShown: false }));
});

it("moves a board's due date with its cell, and leaves sprints", async () => {
  const due: BoardEntry = {
    ...{ boardId: 'b1', itemId: 'i1', board: 'Ship', title: 'Release', kind: 'due', color: '#d98324', columnId: 'k1' },
    ...{ start: '2026-03-04', end: '2026-03-05' },
  };
  board = [due, { ...due, itemId: 's1', title: 'Sprint 4', kind: 'sprint', end: '2026-03-12' }];
  draw();
  (await screen.findAllByRole('button', { name: /^Sprint 4/ }))[0]!.focus();
  await userEvent.keyboard('{Alt>}{ArrowRight}{/Alt}');
  await focus(/^Release/);
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  await waitFor(() =>
    expect(api.patch.mock.calls).toEqual([
      ['/boards/b1/items/i1/cells/k1', { value: '2026-03-11', was: '2026-03-04' }],
    ]),
  );
});

it('offers to add a calendar if there is none', async () => {
  [calendars, events] = [[], []];
  draw();
  await screen.findByText('No calendars');
  await userEvent.click(screen.getAllByRole('button', { name: 'Add calendar' }).at(-1)!);
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Subscribe to calendar' }));
  await userEvent.type(await screen.findByLabelText('Address'), 'https://example.com/a.ics');
  const errors = [{ pointer: '/url', code: 'invalid', detail: 'It has no calendar.' }];
  api.post.mockRejectedValue(new ApiError(422, { code: 'invalid-input', errors }));
  await userEvent.click(screen.getByRole('button', { name: 'Subscribe' }));
  expect(await screen.findByText('It has no calendar.')).toBeTruthy();
});

it('lists the next two events of today in the sidebar', async () => {
  const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const next = (title: string, from: number, more = {}) => ({
    ...{ ...CALL, eventId: title, title, start: soon(from), end: soon(from + 5), ...more },
  });
  const items = [
    next('C', 30),
    next('Past', -60),
    next('B', 20),
    next('A', 10),
    next('No', 5, { myResponse: 'declined' }),
  ];
  api.get.mockImplementation(
    (
      (before) =>
      (path: string, ...rest: unknown[]) =>
        path === '/calendar/agenda' ? Promise.resolve({ items }) : before(path, ...rest)
    )(api.get.getMockImplementation()!),
  );
  draw();
  const list = await screen.findByRole('list', { name: 'Next events today' });
  expect(
    within(list)
      .getAllByRole('link')
      .map((link) => link.textContent?.split(' ').at(-1)),
  ).toEqual(['A', 'B']);
});
