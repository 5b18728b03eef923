import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import type { FocusMode, Sounds } from './data';
import { FocusButton } from './FocusButton';
import HistoryPage from './HistoryPage';
import { Listener } from './Listener';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'delete'] as const).map((method) => [method, (...args: Parameters<Send>) => api[method](...args)]),
  ),
}));

const OFF: FocusMode = { active: false, startedAt: null, endsAt: null, through: 'nothing', held: 0 };
let focus: FocusMode = OFF;
let isOffered = true;
let entries: object[] = [];
const sounds: Sounds = {
  muted: false,
  kinds: [{ kind: 'done', label: 'Turn done', sound: 'system:complete', isDefault: true }],
  choices: [
    { sound: 'bell', label: 'Bell', problem: null },
    { sound: 'system:complete', label: 'Done (system)', problem: 'The notification service plays no sounds.' },
  ],
};

function draw(content: React.ReactNode) {
  const { hook, searchHook } = memoryLocation({ path: '/inbox' });
  return render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        {content}
      </Router>
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  [focus, isOffered, entries] = [OFF, true, []];
  api.get.mockImplementation((path) =>
    Promise.resolve(
      path === '/focus'
        ? focus
        : path === '/notifications/sounds'
          ? sounds
          : path.startsWith('/settings')
            ? { revision: 1, settings: [{ key: 'focusModeFeatureEnabled', value: isOffered }] }
            : { items: entries, nextCursor: null },
    ),
  );
});

it('starts Focus Mode for a while with what gets through', async () => {
  const started = { ...OFF, active: true, endsAt: new Date(Date.now() + 25 * 60_000).toISOString() };
  api.post.mockResolvedValue(started);
  draw(<FocusButton />);
  await userEvent.click(await screen.findByRole('button', { name: 'Focus Mode' }));
  await userEvent.click(screen.getByRole('button', { name: '25 min' }));
  expect(api.post).toHaveBeenCalledWith('/focus', { through: 'nothing', minutes: 25 });
  expect((await screen.findByRole('timer')).textContent).toMatch(/^2[45]:\d\d$/);
});

it('says how much is held, and ends', async () => {
  focus = { ...OFF, active: true, held: 3 };
  api.delete.mockResolvedValue(OFF);
  draw(<FocusButton />);
  await userEvent.click(await screen.findByRole('button', { name: 'Focus Mode' }));
  screen.getByText('3 notifications held. You see them together at the end.');
  await userEvent.click(screen.getByRole('button', { name: 'End Focus Mode' }));
  await waitFor(() => expect(api.delete).toHaveBeenCalledWith('/focus'));
});

it('is not there while the setting is off', async () => {
  isOffered = false;
  draw(<FocusButton />);
  await waitFor(() => expect(api.get).toHaveBeenCalledTimes(2));
  expect(screen.queryByRole('button')).toBeNull();
});

it('says why each notification was shown or not', async () => {
  draw(<HistoryPage />);
  expect(await screen.findByText('No notifications yet')).toBeTruthy();
  entries = [
    {
      id: '1',
      at: '2026-01-02T03:04:05Z',
      rowId: 'r',
      kind: 'approval',
      title: 'Fix tests: needs approval',
      sessionId: 's1',
      decision: 'hold',
      reason: 'Held until Focus Mode ends.',
      until: null,
    },
  ];
  draw(<HistoryPage />);
  expect(await screen.findByText('Held until Focus Mode ends.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Fix tests: needs approval' }).getAttribute('href')).toBe('/sessions/s1');
});

it('reports whether the window is in front', async () => {
  const { unmount } = draw(<Listener />);
  const reports = () => api.post.mock.calls.filter(([path]) => path === '/presence');
  expect(reports()).toHaveLength(1);
  window.dispatchEvent(new Event('blur'));
  expect(reports()).toHaveLength(2);
  expect(reports()[1]?.[1]).toEqual({ windowId: expect.any(String) as string, isInFront: document.hasFocus() });
  unmount();
  window.dispatchEvent(new Event('focus'));
  expect(reports()).toHaveLength(2);
});

it('chooses the sound of a kind, tests it, mutes all, and says what is not heard', async () => {
  draw(<HistoryPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Sounds' }));
  await screen.findByText(/aren't heard. The notification service plays no sounds./);
  api.post.mockResolvedValue({ ...sounds, kinds: [{ ...sounds.kinds[0], sound: 'bell', isDefault: false }] });
  await userEvent.click(screen.getByRole('button', { name: /Turn done$/, expanded: false }));
  await userEvent.click(screen.getByRole('option', { name: /Bell/ }));
  expect(api.post).toHaveBeenCalledWith('/notifications/sounds', { kind: 'done', sound: 'bell' });
  await waitFor(() => expect(screen.queryByText(/aren't heard/)).toBeNull());
  await userEvent.click(screen.getByRole('button', { name: 'Test Turn done' }));
  expect(api.post).toHaveBeenCalledWith('/notifications/test', { kind: 'done' });
  api.post.mockResolvedValue(sounds);
  await userEvent.click(screen.getByRole('button', { name: 'Use default for Turn done' }));
  expect(api.post).toHaveBeenCalledWith('/notifications/sounds', { kind: 'done' });
  await userEvent.click(screen.getByRole('switch', { name: 'Mute all notification sounds' }));
  expect(api.post).toHaveBeenCalledWith('/notifications/mute', { muted: true });
});
