import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import { lastJoinedFirst, type MeetingRoom } from './data';
import { RoomKeys } from './RoomKeys';
import RoomsPage from './RoomsPage';

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
let open = vi.fn<typeof window.open>();

const AT = '2026-03-01T12:00:00.000Z';
const room = (id: string, name: string, joinedAt: string | null = null): MeetingRoom => ({
  ...{ id, name, address: `https://meet.example/${id}`, note: '', joinedAt, createdAt: AT, changedAt: AT },
});
const ALL = [room('r1', 'Weekly'), room('r2', 'Stand-up', AT)];
let rooms: MeetingRoom[] = [];
let isEnabled = true;

function draw() {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      <RoomsPage />
      <RoomKeys />
      <input aria-label="Elsewhere" />
      <ToastRegion />
    </QueryClientProvider>,
  );
}
const press = (target: Element) => fireEvent.keyDown(target, { key: 'Z', ctrlKey: true, shiftKey: true });

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  open = vi.fn<typeof window.open>().mockReturnValue(null);
  vi.stubGlobal('open', open);
  [rooms, isEnabled] = [ALL, true];
  api.get.mockImplementation((path) => {
    if (path.startsWith('/settings'))
      return Promise.resolve({ revision: 1, settings: [{ key: 'meetingRoomsEnabled', value: isEnabled }] });
    return Promise.resolve({ items: rooms, nextCursor: null });
  });
});

it('lists the last joined room first', () => {
  expect(lastJoinedFirst([...ALL, room('r3', 'Other')]).map(({ id }) => id)).toEqual(['r2', 'r1', 'r3']);
});

it('joins from the palette, also from a field, and notes when', async () => {
  draw();
  await screen.findByRole('link', { name: 'Join Weekly' });
  press(screen.getByLabelText('Elsewhere'));
  const items = await screen.findAllByRole('menuitem');
  expect(items.map((item) => item.textContent)).toEqual([
    'Stand-uphttps://meet.example/r2',
    'Weeklyhttps://meet.example/r1',
  ]);
  await userEvent.type(screen.getByRole('searchbox'), 'week{Enter}');
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/rooms/r1/join', { open: false }));
  expect(open).toHaveBeenCalledWith('https://meet.example/r1', '_blank', 'noopener,noreferrer');
  await waitFor(() => expect(screen.queryByRole('searchbox')).toBeNull());
});

it('has no keys while the setting is off', async () => {
  isEnabled = false;
  draw();
  await screen.findByRole('link', { name: 'Join Weekly' });
  press(document.body);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('creates a room, and keeps the form open with the reason of a rejection', async () => {
  rooms = [];
  draw();
  expect(await screen.findByText('No meeting rooms')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'New room' }));
  await userEvent.type(await screen.findByLabelText('Name'), 'Team');
  await userEvent.type(screen.getByLabelText('Link'), 'meet.example/team');
  api.post.mockRejectedValueOnce(new Error('You can have 200 meeting rooms.'));
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText(/You can have 200/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  const body = { name: 'Team', address: 'https://meet.example/team', note: '' };
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/rooms', body));
  await waitFor(() => expect(screen.queryByLabelText('Link')).toBeNull());
});

it('moves by keyboard, and deletes with undo', async () => {
  draw();
  fireEvent.keyDown(await screen.findByRole('link', { name: 'Join Stand-up' }), { key: 'ArrowUp', altKey: true });
  await waitFor(() => expect(api.post).toHaveBeenLastCalledWith('/rooms/r2/reorder', { before: 'r1' }));
  await userEvent.click(screen.getByRole('button', { name: 'Delete Weekly' }));
  await waitFor(() => expect(api.delete.mock.lastCall?.[0]).toBe('/rooms/r1'));
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(api.post.mock.lastCall?.[0]).toBe('/rooms/r1/restore'));
});
