/** What is typed of a new dashboard is its own as soon as its page is there, and sent where that is left before. */
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Route } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { ApiError } from '@shell/api';
import { makeQueryClient } from '@shell/query';
import { takeBegun } from './begun';
import { DashboardLinks } from './DashboardLinks';
import DashboardPage from './DashboardPage';
import { emptyConfig } from './model';

const RECORD = {
  id: 'made',
  workspaceId: 'w',
  name: 'New dashboard',
  config: emptyConfig(),
  revision: 1,
  createdAt: '',
  updatedAt: '',
};
/** What the program answers when it is asked for the new dashboard. */
const read = vi.fn<() => Promise<unknown>>();
const patch = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (path: string) =>
      path === '/dashboards/made'
        ? read()
        : Promise.resolve({ items: path === '/workspaces' ? [{ id: 'w', name: 'Work' }] : [] }),
    post: () => Promise.resolve(RECORD),
    patch: (path: string, body: unknown) => patch(path, body),
  },
}));
vi.mock('./engine', () => ({ startEngine: () => {}, loadEngine: () => new Promise(() => {}) }));

let isRead: (record: object) => void;
beforeEach(() => {
  read.mockReset().mockReturnValue(new Promise((resolve) => (isRead = resolve)));
  patch.mockReset().mockResolvedValue({ ...RECORD, revision: 2 });
  takeBegun();
  navigate('/');
});

/** The program fails once when it is asked for it, as soon as this is called. */
function failing() {
  let fail = () => {};
  read.mockReturnValueOnce(
    new Promise(
      (_, reject) => (fail = () => reject(new ApiError(500, { code: 'internal', detail: 'The disk is busy.' }))),
    ),
  );
  return () => act(() => fail());
}

/** Presses +, types, and waits until the program has made it. */
async function typed(keys: string) {
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <DashboardLinks />
      <Route path="/dashboards/:id" component={DashboardPage} />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Create dashboard' }));
  await user.keyboard(keys);
  await waitFor(() => expect(location.pathname).toBe('/dashboards/made'));
  return user;
}
const isOpen = () => screen.findByText('Connect boards to start');
/** The page takes what was typed as soon as it is drawn. */
const nameButton = (name: string) => screen.findByRole('button', { name });

it('is kept while the page cannot be loaded', async () => {
  const fail = failing();
  const user = await typed('Money{Enter}');
  fail();
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  act(() => isRead(RECORD));
  await isOpen();
  expect(await nameButton('Money')).toBeTruthy();
});

it.each(['is loaded', 'cannot be loaded'])('is sent where the page is left while it %s', async (how) => {
  const fail = failing();
  await typed('Money{Enter}');
  if (how === 'cannot be loaded') {
    fail();
    await screen.findByRole('button', { name: 'Try again' });
  }
  act(() => navigate('/settings'));
  await waitFor(() => expect(patch.mock.calls).toEqual([['/dashboards/made', { name: 'Money' }]]));
});

it('has the focus on its button when the page is there, as when it was typed on that', async () => {
  await typed('Money{Enter}');
  expect(await nameButton('Money')).toBe(document.activeElement);
  act(() => isRead(RECORD));
  await isOpen();
  expect(await nameButton('Money')).toBe(document.activeElement);
});

it('goes on in the field when the page comes while it is typed', async () => {
  const user = await typed('Mon');
  act(() => isRead(RECORD));
  await isOpen();
  await user.keyboard('ey{Enter}');
  expect(await nameButton('Money')).toBe(document.activeElement);
});
