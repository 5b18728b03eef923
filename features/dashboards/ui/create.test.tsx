/** A dashboard is made as soon as the workspaces are known, once, and where it was asked for. */
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { makeQueryClient } from '@shell/query';
import { DashboardLinks } from './DashboardLinks';
import DashboardsPage from './DashboardsPage';

const get = vi.fn<(path: string) => Promise<unknown>>();
const post = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<typeof get>) => get(...args), post: (...args: Parameters<typeof post>) => post(...args) },
}));

/** A program that is slow to start says late which workspaces there are. */
let start: () => Promise<void>;
/** And it answers late that the dashboard is made. */
let answer: () => Promise<void>;
const settled = (run: () => void) =>
  act(async () => {
    run();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  });

beforeEach(() => {
  const workspaces = new Promise((resolve) => (start = () => settled(() => resolve({ items: [{ id: 'w', name: 'Work' }] }))));
  get.mockReset().mockImplementation((path) => (path === '/workspaces' ? workspaces : Promise.resolve({ items: path === '/dashboards/trash' ? [] : [{ id: 'old', name: 'Old', updatedAt: '2026-03-01T12:00:00Z' }] })));
  post.mockReset().mockReturnValue(new Promise((resolve) => (answer = () => settled(() => resolve({ id: 'made', name: 'New dashboard' })))));
  navigate('/dashboards');
});
afterEach(() => history.replaceState(null, '', '/'));

const draw = (what: React.ReactNode) => render(<QueryClientProvider client={makeQueryClient()}>{what}</QueryClientProvider>);
const button = () => screen.getByRole('button', { name: 'Create dashboard' });
const pending = (is: boolean) => waitFor(() => expect(button().hasAttribute('data-pending')).toBe(is));

it('is made and opened once, however often it is asked for while that waits', async () => {
  draw(<DashboardLinks />);
  const user = userEvent.setup();
  for (let press = 0; press < 4; press++) await user.click(button());
  await pending(true);
  expect(document.activeElement).toBe(button());
  await start();
  await user.click(button());
  await answer();
  expect(post.mock.calls.map(([path]) => path)).toEqual(['/dashboards']);
  expect(location.pathname).toBe('/dashboards/made');
  await pending(false);
});

it('is made by one of its buttons at a time', async () => {
  draw(
    <>
      <DashboardLinks />
      <DashboardsPage />
    </>,
  );
  await start();
  const user = userEvent.setup();
  const buttons = await waitFor(() => {
    const all = screen.getAllByRole('button', { name: 'Create dashboard' });
    expect(all).toHaveLength(2);
    return all;
  });
  for (const one of buttons) await user.click(one);
  await waitFor(() => expect(buttons.map((one) => one.hasAttribute('data-pending'))).toEqual([true, true]));
  expect(post).toHaveBeenCalledTimes(1);
});

it('is not made once the page was left where it was asked for, and can be asked for on the next', async () => {
  draw(<DashboardLinks />);
  const user = userEvent.setup();
  await user.click(button());
  await settled(() => navigate('/settings'));
  await pending(false);
  await settled(() => navigate('/dashboards'));
  await pending(false);
  await start();
  expect(post).not.toHaveBeenCalled();
  await user.click(button());
  await answer();
  expect(location.pathname).toBe('/dashboards/made');
});

it('is not opened where the page was left while it was made', async () => {
  draw(<DashboardLinks />);
  await start();
  await userEvent.setup().click(button());
  await settled(() => navigate('/settings'));
  await answer();
  expect([post.mock.calls.length, location.pathname]).toEqual([1, '/settings']);
  expect(await screen.findByText('New dashboard')).toBeTruthy();
});

it('is made where the page puts another in the place of the one that it was asked for on', async () => {
  draw(<DashboardLinks />);
  await userEvent.setup().click(button());
  await settled(() => navigate('/inbox', { replace: true }));
  await start();
  await answer();
  expect(location.pathname).toBe('/dashboards/made');
});
