import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import { clockText, lengthsOf, POMODORO, secondsLeft, type Preset, type Rule, type Run } from './data';
import PomodoroPage from './PomodoroPage';
import { PomodoroTimer } from './PomodoroTimer';

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

const CLASSIC: Preset = {
  ...{ id: 'classic', name: 'Classic', builtIn: true, focusMinutes: 25, breakMinutes: 5 },
  ...{ longBreakMinutes: 15, longEvery: 4, focusMode: 'default' },
};
const DEEP: Preset = { ...CLASSIC, id: 'p1', name: 'Deep', builtIn: false, focusMinutes: 90, longEvery: 0 };
const RULE: Rule = {
  ...{ id: 'r1', presetId: 'p1', on: true, time: '09:00', date: null, days: ['mon', 'tue'], timeZone: 'UTC' },
  nextAt: '2126-03-01T09:00:00.000Z',
};
const RUN: Run = {
  ...{ name: 'Classic', phase: 'focus', block: 2, longEvery: 4, phaseSeconds: 1500, endsAt: null, leftSeconds: 245 },
  ...{ managesFocus: true, startedAt: '2026-03-01T12:00:00.000Z' },
};
let run: Run | null = null;
let isScheduled = true;

function draw() {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <PomodoroTimer />
      <PomodoroPage />
      <ToastRegion />
    </QueryClientProvider>,
  );
  return cache;
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  [run, isScheduled] = [null, true];
  const days = ['23', '24', '25', '26', '27', '28'].map((day) => ({ date: `2026-02-${day}`, blocks: 0, minutes: 0 }));
  api.get.mockImplementation((path) => {
    if (path.startsWith('/settings'))
      return Promise.resolve({ revision: 1, settings: [{ key: 'pomodoroScheduleEnabled', value: isScheduled }] });
    if (path.endsWith('/presets')) return Promise.resolve({ items: [CLASSIC, DEEP], nextCursor: null });
    if (path.endsWith('/rules')) return Promise.resolve({ items: [RULE], nextCursor: null });
    if (path.endsWith('/stats'))
      return Promise.resolve({ days: [...days, { date: '2026-03-01', blocks: 2, minutes: 55 }] });
    return Promise.resolve({ run });
  });
});

it('says how long a phase is and what is left of it', () => {
  expect([245, 5, 5400].map(clockText)).toEqual(['4:05', '0:05', '1:30:00']);
  expect([lengthsOf(CLASSIC), lengthsOf(DEEP)]).toEqual(['25 / 5 min, 15 min after 4 blocks', '90 / 5 min']);
  const endsAt = '2026-03-01T12:00:10.000Z';
  const at = (second: number) => secondsLeft({ endsAt, leftSeconds: null }, Date.parse(endsAt) + second * 1000);
  expect([at(-10), at(5), secondsLeft(RUN, 0)]).toEqual([10, 0, 245]);
});

it('starts a run with a preset, and shows what was done', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Start' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/pomodoro/start', { presetId: 'classic' }));
  expect(await screen.findByText('Today: 2 focus blocks, 55 min')).toBeTruthy();
  expect(within(screen.getByRole('region', { name: 'Minutes of focus' })).getByText('55 min')).toBeTruthy();
});

it('pauses, skips, and stops, with the time left in the toolbar', async () => {
  run = RUN;
  draw();
  const link = await screen.findByRole('link', { name: 'Pomodoro: Focus, paused' });
  expect(link.textContent).toBe('4:05');
  await userEvent.click(await screen.findByRole('button', { name: 'Resume' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/pomodoro/resume'));
  await userEvent.click(screen.getByRole('button', { name: 'Skip to break' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/pomodoro/skip'));
  await userEvent.click(screen.getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/pomodoro/stop'));
});

it('says on any page when a phase begins, but not what goes on already', async () => {
  run = RUN;
  const cache = draw();
  await screen.findByRole('link', { name: 'Pomodoro: Focus, paused' });
  expect(screen.queryByText(/Time /)).toBeNull();
  run = { ...RUN, phase: 'break' };
  await cache.invalidateQueries({ queryKey: POMODORO });
  expect(await screen.findByText('Time for a break')).toBeTruthy();
});

it('keeps presets and rules, and says that rules are off', async () => {
  isScheduled = false;
  draw();
  expect(await screen.findByText(/pomodoroScheduleEnabled is off/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Edit Classic' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'New preset' }));
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Mine' } });
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  const body = { ...CLASSIC, name: 'Mine', id: undefined, builtIn: undefined };
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/pomodoro/presets', JSON.parse(JSON.stringify(body))));
  await userEvent.click(await screen.findByRole('button', { name: 'Edit Mon, Tue 09:00' }));
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Tuesday' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const rule = { presetId: 'p1', time: '09:00', days: ['mon'], timeZone: 'UTC' };
  await waitFor(() => expect(api.patch).toHaveBeenCalledWith('/pomodoro/rules/r1', rule));
});
