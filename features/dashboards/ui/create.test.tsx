/** A dashboard is made as soon as the workspaces are known, once, and where it was asked for. */
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { ApiError } from '@shell/api';
import { makeQueryClient } from '@shell/query';
import { changeBegun, takeBegun, takeLeft } from './begun';
import { useNameOfNew } from './data';
import { DashboardLinks } from './DashboardLinks';
import DashboardsPage from './DashboardsPage';
import { NewDashboard } from './NewDashboard';

const get = vi.fn<(path: string) => Promise<unknown>>();
const post = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
const patch = vi.fn<(path: string, body: unknown, options: object) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (...args: Parameters<typeof get>) => get(...args),
    post: (...args: Parameters<typeof post>) => post(...args),
    patch: (...args: Parameters<typeof patch>) => patch(...args),
  },
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
  const workspaces = new Promise(
    (resolve) => (start = () => settled(() => resolve({ items: [{ id: 'w', name: 'Work' }] }))),
  );
  get.mockReset().mockImplementation((path) =>
    path === '/workspaces'
      ? workspaces
      : Promise.resolve({
          items: path === '/dashboards/trash' ? [] : [{ id: 'old', name: 'Old', updatedAt: '2026-03-01T12:00:00Z' }],
        }),
  );
  post
    .mockReset()
    .mockReturnValue(
      new Promise(
        (resolve) => (answer = () => settled(() => resolve({ id: 'made', name: 'New dashboard', revision: 1 }))),
      ),
    );
  patch.mockReset().mockResolvedValue({});
  takeBegun();
  navigate('/dashboards');
});
afterEach(() => history.replaceState(null, '', '/'));

/** As in the page, the place of the one that is made beside what asks for it. */
const Opened = () => <Route path="/dashboards/:id">{({ id }) => id === 'old' || <NewDashboard />}</Route>;
const draw = (what: React.ReactNode) => {
  const client = makeQueryClient();
  render(
    <QueryClientProvider client={client}>
      {what}
      <Opened />
    </QueryClientProvider>,
  );
  return () => waitFor(() => expect(client.isMutating()).toBe(0));
};
const button = () => screen.getByRole('button', { name: 'Create dashboard' });
const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Dashboard name' });

it('is there at the press, made and opened once however often it is asked for, and goes by what is typed meanwhile', async () => {
  draw(<DashboardLinks />);
  const user = userEvent.setup();
  await user.dblClick(button());
  expect([location.pathname, field().value]).toEqual(['/dashboards/new', 'New dashboard']);
  await user.keyboard('Two ');
  await start();
  await user.click(button());
  await user.keyboard('{End} words');
  await answer();
  expect(post.mock.calls.map(([path]) => path)).toEqual(['/dashboards']);
  expect(location.pathname).toBe('/dashboards/made');
  expect([field().value, document.activeElement]).toEqual(['Two words', field()]);
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
  expect(post).toHaveBeenCalledTimes(1);
});

it('is not another where the one in view is as new', async () => {
  let isNew = true;
  const name = vi.fn(() => isNew);
  function Open() {
    useNameOfNew(name);
    return null;
  }
  navigate('/dashboards/old');
  draw(
    <>
      <DashboardLinks />
      <Open />
    </>,
  );
  await start();
  const user = userEvent.setup();
  await user.click(button());
  expect([name.mock.calls.length, post.mock.calls.length, location.pathname]).toEqual([1, 0, '/dashboards/old']);
  isNew = false;
  await user.click(button());
  expect([post.mock.calls.length, location.pathname]).toEqual([1, '/dashboards/new']);
});

it('says why it is not made, and keeps what was typed for the next try', async () => {
  post.mockRejectedValueOnce(new ApiError(409, { code: 'too-many', detail: 'There are too many.' }));
  const done = draw(<DashboardLinks />);
  await start();
  const user = userEvent.setup();
  await user.click(button());
  await user.keyboard('Money{Enter}');
  expect(await screen.findByText("Couldn't create dashboard")).toBeTruthy();
  expect(screen.getByText(/There are too many/)).toBeTruthy();
  await done();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await answer();
  expect([post.mock.calls.length, location.pathname]).toEqual([2, '/dashboards/made']);
  expect(screen.getByRole('button', { name: 'Money' })).toBeTruthy();
});

it('is not there where none is being made', async () => {
  navigate('/dashboards/new');
  draw(null);
  await waitFor(() => expect(location.pathname).toBe('/dashboards'));
});

it('is not made once the page was left where it was asked for, and can be asked for on the next', async () => {
  const done = draw(<DashboardLinks />);
  const user = userEvent.setup();
  await user.click(button());
  await user.keyboard('Left');
  await settled(() => navigate('/settings'));
  await done();
  await settled(() => navigate('/dashboards'));
  await start();
  expect(post).not.toHaveBeenCalled();
  await user.click(button());
  expect(field().value).toBe('New dashboard');
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

it('has the name that was typed where its page is left while it is made', async () => {
  draw(<DashboardLinks />);
  await start();
  const user = userEvent.setup();
  await user.click(button());
  await user.keyboard('Money{Enter}');
  await settled(() => navigate('/dashboards/old'));
  expect(patch).not.toHaveBeenCalled();
  await answer();
  expect(location.pathname).toBe('/dashboards/old');
  expect(patch.mock.calls).toEqual([
    ['/dashboards/made', { name: 'Money' }, expect.objectContaining({ ifMatch: '"1"' })],
  ]);
});

it.each(['+', 'back'])('is gone on with, and opened, where one comes back while it is made: %s', async (way) => {
  draw(<DashboardLinks />);
  await start();
  const user = userEvent.setup();
  await user.click(button());
  await user.keyboard('Mon');
  await settled(() => navigate('/dashboards/old'));
  if (way === '+') await user.click(button());
  else await settled(() => navigate('/dashboards/new'));
  expect([location.pathname, field().value]).toEqual(['/dashboards/new', 'Mon']);
  await user.click(field());
  await user.keyboard('{End}ey');
  await answer();
  expect([post.mock.calls.length, patch.mock.calls.length, location.pathname, field().value]).toEqual([
    1,
    0,
    '/dashboards/made',
    'Money',
  ]);
});

describe('typed in a window that is closed before the dashboard is made', () => {
  /** The window is closed after these keys; the next one begins with nothing but what the browser keeps. */
  async function closed(isSent: boolean) {
    const { unmount } = render(
      <QueryClientProvider client={makeQueryClient()}>
        <DashboardLinks />
        <Opened />
      </QueryClientProvider>,
    );
    if (isSent) await start();
    const user = userEvent.setup();
    await user.click(button());
    await user.keyboard('Money');
    window.dispatchEvent(new Event('pagehide'));
    unmount();
    takeBegun();
    post.mockReset().mockResolvedValue({});
    navigate('/');
  }
  const listed = (...all: object[]) =>
    get.mockImplementation((path) =>
      Promise.resolve({
        items: path === '/workspaces' ? [{ id: 'w', name: 'Work' }] : path === '/dashboards' ? all : [],
      }),
    );

  it('its name is given to the dashboard, where the program made it all the same', async () => {
    await closed(true);
    const created = (createdAt: string) => ({ name: 'New dashboard', revision: 1, createdAt, updatedAt: '' });
    listed({ id: 'made', ...created(new Date().toISOString()) }, { id: 'old', ...created('2020-01-01T00:00:00.000Z') });
    draw(<DashboardLinks />);
    await waitFor(() =>
      expect(patch.mock.calls).toEqual([
        ['/dashboards/made', { name: 'Money' }, expect.objectContaining({ ifMatch: '"1"' })],
      ]),
    );
    expect(post).not.toHaveBeenCalled();
  });

  it('it is made with its name where the program was not asked yet, once', async () => {
    await closed(false);
    listed({ id: 'old', name: 'Old', revision: 1, updatedAt: '' });
    draw(
      <>
        <DashboardLinks />
        <DashboardLinks />
      </>,
    );
    await waitFor(() =>
      expect(post.mock.calls).toEqual([['/dashboards', expect.objectContaining({ workspaceId: 'w', name: 'Money' })]]),
    );
    expect(patch).not.toHaveBeenCalled();
  });

  it('it is left to its own workspace', async () => {
    await closed(true);
    get.mockImplementation((path) =>
      Promise.resolve({ items: path === '/workspaces' ? [{ id: 'other', name: 'Other' }] : [] }),
    );
    draw(<DashboardLinks />);
    await waitFor(() => expect(get.mock.calls.some(([path]) => path === '/dashboards')).toBe(true));
    await start();
    expect([patch.mock.calls, post.mock.calls]).toEqual([[], []]);
    expect(takeLeft()).toMatchObject({ name: 'Money', asked: { workspaceId: 'w' } });
  });

  it('a window that comes back goes on with it itself', async () => {
    await closed(false);
    takeLeft();
    changeBegun((now) => ({ ...now, name: 'Money' }));
    window.dispatchEvent(new Event('pagehide'));
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    expect(takeLeft()).toBeNull();
  });
});
