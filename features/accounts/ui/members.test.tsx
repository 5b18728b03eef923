import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { ApiError } from '@shell/api';
import { changedParts, found, type Member } from './data';
import MembersPage from './MembersPage';

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

const ADA: Member = {
  id: 'm1',
  name: 'Ada Lind',
  email: 'ada@example.org',
  role: 'designer',
  timeZone: 'Europe/Berlin',
  you: false,
  createdAt: '2026-01-02T03:04:05Z',
};
const BO: Member = {
  id: 'm2',
  name: 'Bo Ek',
  email: '',
  role: '',
  timeZone: '',
  you: false,
  createdAt: '2026-01-02T03:04:05Z',
};
let members: Member[] = [];

/** All of a text at once: typing letter by letter takes its time. */
const fill = (name: string, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });

function draw(path = '/members') {
  const { hook, searchHook } = memoryLocation({ path });
  return render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        <MembersPage />
      </Router>
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  members = [ADA, BO];
  // Some hundred zones make every search by role slow.
  vi.spyOn(Intl, 'supportedValuesOf').mockReturnValue(['Europe/Berlin']);
  api.get.mockImplementation(() => Promise.resolve({ items: members }));
});

it('finds members by name, address and role, whatever the case', () => {
  expect(found([ADA, BO], 'LIND design')).toEqual([ADA]);
  expect(found([ADA, BO], '')).toEqual([ADA, BO]);
  expect(changedParts(ADA, { ...ADA, role: '' })).toEqual({ role: '' });
});

it('teaches what members are for, and adds the first', async () => {
  members = [];
  draw();
  expect(await screen.findByText('No members yet')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Add member' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add a member' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add member' }));
  expect(screen.getByText('Enter a name.')).toBeTruthy();
  fill('Name', ' Ada ');
  fill('Email', 'a@b');
  members = [ADA];
  await userEvent.click(within(dialog).getByRole('button', { name: 'Add member' }));
  expect(api.post).toHaveBeenCalledWith('/members', { name: 'Ada', email: 'a@b', role: '', timeZone: '' });
  expect(await screen.findByText('1 member')).toBeTruthy();
});

it('says at the field why an entry is refused', async () => {
  api.post.mockRejectedValue(
    new ApiError(400, {
      code: 'invalid',
      detail: 'x',
      errors: [{ pointer: '/timeZone', code: 'wrong-format', detail: 'A name such as Europe/Berlin.' }],
    }),
  );
  draw('/members?add');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'Ada{Enter}');
  expect(await screen.findByText('A name such as Europe/Berlin.')).toBeTruthy();
});

it('searches, changes and removes', async () => {
  draw();
  expect(await screen.findByText('ada@example.org · designer · Europe/Berlin')).toBeTruthy();
  await userEvent.type(screen.getByRole('searchbox'), 'zz');
  expect(screen.getByText('No matching members')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Show all members' }));
  await userEvent.click(screen.getByRole('button', { name: 'Change Bo Ek' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Role' }), 'cook{Enter}');
  expect(api.patch).toHaveBeenCalledWith('/members/m2', { role: 'cook' });
  await userEvent.click(await screen.findByRole('button', { name: 'Change Bo Ek' }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'This is me' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save member' }));
  expect(api.patch).toHaveBeenLastCalledWith('/members/m2', { you: true });
  await userEvent.click(await screen.findByRole('button', { name: 'Remove Ada Lind' }));
  expect(api.delete).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Remove member' }));
  expect(api.delete).toHaveBeenCalledWith('/members/m1');
});
