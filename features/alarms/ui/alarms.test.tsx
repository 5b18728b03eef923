import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import AlarmsPage from './AlarmsPage';
import { daysOf, type Alarm } from './data';
import { RingingAlarms } from './RingingAlarms';

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

const ALARM: Alarm = {
  id: 'a1',
  label: 'Tea',
  on: true,
  time: '12:30',
  date: '2126-03-01',
  days: [],
  timeZone: 'UTC',
  nextAt: '2126-03-01T12:30:00.000Z',
  state: 'idle',
  ringingSince: null,
  until: null,
  snoozes: 0,
  canSnooze: false,
  sound: 'chime',
  soundDurationSeconds: 30,
  soundFadeInSeconds: 0,
  soundPlayMode: 'loop',
  speakLabel: false,
  maxSnoozes: 3,
  snoozeMinutes: 9,
  createdAt: '2026-03-01T12:00:00.000Z',
  changedAt: '2026-03-01T12:00:00.000Z',
};
const RINGING: Alarm = { ...ALARM, state: 'ringing', canSnooze: true };
let alarms: Alarm[] = [];
let assertiveness = 'banner';

function draw() {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <AlarmsPage />
      <RingingAlarms />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  [alarms, assertiveness] = [[ALARM], 'banner'];
  api.get.mockImplementation((path) => {
    if (path.startsWith('/settings')) {
      const values = { alarmsEnabled: true, alarmsAssertiveness: assertiveness, alarmsDefaultSound: 'bell' };
      return Promise.resolve({ revision: 1, settings: Object.entries(values).map(([key, value]) => ({ key, value })) });
    }
    if (path.startsWith('/alarms/sounds')) return Promise.resolve({ sounds: ['chime', 'bell'] });
    const isRinging = path.includes('state=ringing');
    const items = alarms.filter(({ state }) => !isRinging || state === 'ringing');
    return Promise.resolve({ items, nextCursor: null });
  });
});

it('names the days of an alarm', () => {
  const days = (...all: Alarm['days']) => daysOf({ days: all, date: null });
  expect([
    days('mon', 'tue', 'wed', 'thu', 'fri'),
    days('sat', 'sun'),
    days('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'),
    days('tue', 'thu'),
  ]).toEqual(['Weekdays', 'Weekends', 'Every day', 'Tue, Thu']);
});

it('sends only what changed, so that the date stays', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Tea' }));
  const name = await screen.findByLabelText('Name');
  await userEvent.clear(name);
  await userEvent.type(name, 'Coffee');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/alarms/a1', { label: 'Coffee' }));
});

it('repeats on chosen days instead of a date', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Tea' }));
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Monday' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/alarms/a1', { days: ['mon'] }));
});

it('takes an alarm that was cleared of its date as one of the next such time', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Tea' }));
  await userEvent.clear(await screen.findByLabelText('Date'));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/alarms/a1', { days: [] }));
});

it('offers a snooze in a banner only while one is left', async () => {
  alarms = [RINGING, { ...RINGING, id: 'a2', label: '', canSnooze: false }];
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Snooze Tea 9 minutes' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/alarms/a1/snooze', {}));
  expect(screen.queryByRole('button', { name: /Snooze Alarm/ })).toBeNull();
  await userEvent.keyboard('zd');
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/alarms/a2/dismiss'));
  expect(screen.getByRole('alert', { name: 'Ringing alarms' })).toBeTruthy();
});

it('traps the focus in a dialog that only an answer closes', async () => {
  [alarms, assertiveness] = [[RINGING], 'modal'];
  draw();
  const dialog = await screen.findByRole('alertdialog', { name: 'Alarm' });
  const dismiss = screen.getByRole('button', { name: 'Dismiss Tea' });
  await waitFor(() => expect(document.activeElement).toBe(dismiss));
  await userEvent.keyboard('{Escape}');
  expect(dialog.isConnected).toBe(true);
  await userEvent.tab();
  await userEvent.tab();
  expect(document.activeElement).toBe(dismiss);
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/alarms/a1/dismiss'));
});
