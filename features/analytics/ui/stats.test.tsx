import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, renderHook, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import type { ReactNode } from 'react';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { useRowTime } from '@shell/rowTime';
import { useSetting } from '@shell/settings';
import { duration, type Stats } from './data';
import StatsPage from './StatsPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));

let stats: Stats;
let isOn = true;

function Around({ children }: { children: ReactNode }) {
  const { hook, searchHook } = memoryLocation({ path: '/inbox/stats' });
  return (
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        {children}
      </Router>
    </QueryClientProvider>
  );
}
const draw = () => render(<StatsPage />, { wrapper: Around });

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  isOn = true;
  stats = {
    isOn: true,
    kinds: [
      {
        kind: 'approval',
        label: 'Permission request',
        posted: 12,
        handled: 10,
        waitMedianSeconds: 65,
        wait90Seconds: 7_500,
        lookedOnly: 2,
        openSeconds: 330,
      },
      {
        kind: 'alert',
        label: 'Alert',
        posted: 3,
        handled: 0,
        waitMedianSeconds: null,
        wait90Seconds: null,
        lookedOnly: 1,
        openSeconds: 0,
      },
    ],
    pileUp: [
      { day: '2026-03-01', open: 4 },
      { day: '2026-03-02', open: 5 },
    ],
  };
  api.get.mockImplementation((path) =>
    Promise.resolve(
      path.startsWith('/settings') ? { revision: 1, settings: [{ key: 'inboxAnalyticsEnabled', value: isOn }] } : stats,
    ),
  );
});

it('shows waits, pile-up, looks without action, and time spent', async () => {
  draw();
  const waits = await screen.findByRole('region', { name: 'Waiting time until you answer or dismiss' });
  expect(within(waits).getByText('Median: 1 min 5 sec')).toBeTruthy();
  expect(within(waits).getByText('90%: 2 hr 5 min')).toBeTruthy();
  expect(within(waits).getByText('Median: None handled')).toBeTruthy();
  expect(screen.getByRole('region', { name: 'Open rows at the end of each day' }).textContent).toContain(
    'Mar 2, 20265',
  );
  expect(screen.getByText('2 of 12')).toBeTruthy();
  expect(screen.getByText('5 min 30 sec')).toBeTruthy();
});

it('shows the same as tables', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Show as table' }));
  const table = screen.getByRole('grid', { name: 'Waiting time until you answer or dismiss' });
  const line = within(table).getByRole('row', { name: /Permission request/ });
  expect(
    within(line)
      .getAllByRole('gridcell')
      .map(({ textContent }) => textContent),
  ).toEqual(['1 min 5 sec', '2 hr 5 min']);
  expect(screen.getAllByRole('grid')).toHaveLength(4);
});

it('says that nothing is recorded while the statistics are off', async () => {
  isOn = false;
  draw();
  expect(await screen.findByText(/nothing new is recorded/)).toBeTruthy();
});

it('asks for the chosen period', async () => {
  draw();
  await screen.findByText('2 of 12');
  await userEvent.click(screen.getByRole('button', { name: /Period/ }));
  await userEvent.click(await screen.findByRole('option', { name: 'Last 7 days' }));
  await waitFor(() =>
    expect(api.get).toHaveBeenLastCalledWith('/analytics/inbox', expect.objectContaining({ query: { days: 7 } })),
  );
});

it.each([
  [0, '0 sec'],
  [59, '59 sec'],
  [60, '1 min'],
  [3_661, '1 hr 1 min'],
  [90_000, '1 day 1 hr'],
])('%i seconds are %s', (seconds, text) => expect(duration(seconds, 'en')).toBe(text));

it.each([true, false])('reports how long a row was open only while statistics are on: %s', async (on) => {
  isOn = on;
  const now = vi.spyOn(Date, 'now');
  const useLook = () => (useRowTime('r1'), useSetting('inboxAnalyticsEnabled'));
  const shown = renderHook(useLook, { wrapper: Around });
  await waitFor(() => expect(shown.result.current).toBe(on));
  const begun = Date.now();
  now.mockReturnValue(begun + 12_000);
  shown.unmount();
  now.mockRestore();
  expect(api.post.mock.calls).toEqual(on ? [['/analytics/rows/r1/time', { seconds: 12 }]] : []);
});
