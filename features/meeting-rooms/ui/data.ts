/** Meeting rooms: types, queries, and actions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast, type Move } from '@shell/components';
import type { Command } from '@shell/feature';
import { openAddress } from '@shell/links';
import { useReported } from '@shell/requests';
import { useSetting } from '@shell/settings';

export type MeetingRoom = Schemas['MeetingRoom'];
export type RoomFields = { name: string; address: string; note: string };

/** The start of this feature's query keys: one event invalidates all of them. */
export const ROOMS = ['rooms'];

/** All rooms in order. */
export const useRooms = (enabled = true) =>
  useQuery({
    queryKey: [...ROOMS, 'list'],
    queryFn: ({ signal }) => client.get('/rooms', { signal }).then(({ items }) => items),
    enabled,
  });

/** The rooms for the palette: the last joined first, then the others in order. */
export const lastJoinedFirst = (rooms: readonly MeetingRoom[]) =>
  rooms.toSorted((a, b) => (b.joinedAt ?? '').localeCompare(a.joinedAt ?? ''));

/** Actions on rooms. */
export function useRoomActions() {
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ROOMS });
  /** Shows why it failed, and reloads the rooms. */
  const then = useReported(ROOMS);
  const path = ({ id }: MeetingRoom) => ({ path: { roomId: id } });
  /** Notes that a room is joined, after its link was opened. */
  const note = (room: MeetingRoom) =>
    void then(
      "Couldn't record that you joined",
      client.post('/rooms/{roomId}/join', { ...path(room), body: { open: false } }),
    );
  return {
    /** Throws if it's rejected, for the form to show why. */
    create: async (body: RoomFields) => {
      await client.post('/rooms', { body });
      await again();
    },
    /** The same. */
    update: async (room: MeetingRoom, body: RoomFields) => {
      await client.patch('/rooms/{roomId}', { ...path(room), body });
      await again();
    },
    move: (room: MeetingRoom, move: Move) =>
      then(
        `Couldn't move ${room.name}`,
        client.post('/rooms/{roomId}/reorder', {
          ...path(room),
          body: 'before' in move ? { before: move.before } : {},
        }),
      ),
    note,
    /** Opens the link in a new tab. */
    join: (room: MeetingRoom) => {
      openAddress(room.address, () => {});
      note(room);
    },
    remove: async (room: MeetingRoom) => {
      if (!(await then(`Couldn't delete ${room.name}`, client.delete('/rooms/{roomId}', path(room))))) return;
      toast.done(`Deleted ${room.name}`, {
        undo: () => void then(`Couldn't restore ${room.name}`, client.post('/rooms/{roomId}/restore', path(room))),
      });
    },
  };
}

/** Commands that join rooms. */
export function useJoinCommands(): Command[] {
  const isEnabled = useSetting('meetingRoomsEnabled') === true;
  const { data } = useRooms(isEnabled);
  const { join } = useRoomActions();
  return (isEnabled ? (data ?? []) : []).map((room) => ({
    id: `rooms.join.${room.id}`,
    label: `Join ${room.name}`,
    group: 'Meeting rooms',
    icon: 'video',
    detail: room.note || room.address,
    run: () => join(room),
  }));
}
