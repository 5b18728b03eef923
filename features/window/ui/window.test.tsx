import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IsolatedSessions } from './IsolatedSessions';
import WindowPage from './WindowPage';
import type { WindowState } from './data';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), put: vi.fn<Send>(), post: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (...args: Parameters<Send>) => api.get(...args),
    put: (...args: Parameters<Send>) => api.put(...args),
    post: (...args: Parameters<Send>) => api.post(...args),
  },
}));
let isOn = true;
vi.mock('@shell/settings', async (original) => ({ ...(await original<object>()), useSetting: () => isOn }));

const STATE: WindowState = {
  isOpen: true,
  version: '1.0.0',
  isOutdated: false,
  raiseProblem: null,
  keysProblem: null,
  trayProblem: 'This desktop shows no tray icons.',
  startsAtLogin: false,
  dataDir: '/data',
};

const draw = (what: React.ReactNode) =>
  render(<QueryClientProvider client={new QueryClient()}>{what}</QueryClientProvider>);

beforeEach(() => {
  isOn = true;
  Object.values(api).forEach((send) => send.mockReset().mockResolvedValue(null));
});
afterEach(() => vi.unstubAllGlobals());

it('says what works here and what does not, and starts at login', async () => {
  api.get.mockResolvedValue(STATE);
  draw(<WindowPage />);
  expect(await screen.findByText('This desktop shows no tray icons.')).toBeTruthy();
  expect(screen.getByText('Open, version 1.0.0')).toBeTruthy();
  expect(screen.getByText(/Ctrl\+Alt\+N/)).toBeTruthy();
  api.get.mockResolvedValue({ ...STATE, startsAtLogin: true });
  await userEvent.click(screen.getByRole('switch', { name: /Start at login/ }));
  expect(api.put).toHaveBeenCalledWith('/window/start-at-login', { isOn: true });
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('switch').checked).toBe(true));
});

it('says that an older window needs an update, and hides a switch that the system has no answer for', async () => {
  api.get.mockResolvedValue({ ...STATE, isOutdated: true, startsAtLogin: null });
  draw(<WindowPage />);
  expect(await screen.findByText(/older than Pilothouse: version 1\.0\.0/)).toBeTruthy();
  expect(screen.queryByRole('switch')).toBeNull();
});

const clickLink = async (href: string) => {
  draw(
    <>
      <IsolatedSessions />
      <a href={href} onClick={(event) => event.preventDefault()}>
        Go
      </a>
    </>,
  );
  await userEvent.click(screen.getByRole('link'));
};

it('opens sessions in windows of their own in the desktop window while the setting is on', async () => {
  vi.stubGlobal('navigator', { userAgent: 'PilothouseDesktop/1.0.0 AppleWebKit' });
  await clickLink('/app/sessions/01a2-b');
  expect(api.post).toHaveBeenCalledWith('/window/session', { sessionId: '01a2-b' });
});

it.each([
  ['other pages', '/app/inbox', 'PilothouseDesktop/1.0.0', true],
  ['a browser', '/app/sessions/a1', 'Mozilla/5.0', true],
  ['the setting off', '/app/sessions/a1', 'PilothouseDesktop/1.0.0', false],
])('leaves links alone: %s', async (_, href, userAgent, on) => {
  isOn = on;
  vi.stubGlobal('navigator', { userAgent });
  await clickLink(href);
  expect(api.post).not.toHaveBeenCalled();
});
