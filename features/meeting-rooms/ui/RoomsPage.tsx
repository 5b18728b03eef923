/** All meeting rooms: added, edited, put in order, joined, and deleted. */
import { useState } from 'react';
import { Button, CopyButton, EmptyState, ErrorState, IconButton, Loading, Page, SortableList } from '@shell/components';
import { useShortcuts } from '@shell/shortcuts';
import { useRoomActions, useRooms, type MeetingRoom } from './data';
import { RoomDialog } from './RoomDialog';
import './rooms.css';

export default function RoomsPage() {
  const { data: rooms, error, refetch } = useRooms();
  const [edited, setEdited] = useState<MeetingRoom | 'new' | null>(null);
  const { move } = useRoomActions();
  useShortcuts('Meeting rooms', [{ keys: 'Alt+↑ ↓', label: 'Move the room' }]);
  return (
    <Page
      title="Meeting rooms"
      actions={
        <Button icon="plus" onPress={() => setEdited('new')}>
          New room
        </Button>
      }
    >
      <div className="rooms">
        {error && !rooms ? (
          <ErrorState title="Couldn't load meeting rooms" error={error} onRetry={() => void refetch()} />
        ) : !rooms ? (
          <Loading label="Loading meeting rooms" />
        ) : rooms.length === 0 ? (
          <EmptyState icon="video" title="No meeting rooms">
            Save the links of your video calls, and join one from any page with Ctrl+Shift+Z.
          </EmptyState>
        ) : (
          <SortableList label="Meeting rooms" entries={rooms} onMove={(room, to) => void move(room, to)}>
            {(room) => <RoomRow room={room} onEdit={() => setEdited(room)} />}
          </SortableList>
        )}
      </div>
      {edited && <RoomDialog room={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function RoomRow({ room, onEdit }: { room: MeetingRoom; onEdit: () => void }) {
  const { name, address, note } = room;
  const { note: noteJoin, remove } = useRoomActions();
  return (
    <>
      <div className="rooms-text">
        <a
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`Join ${name}`}
          onClick={() => noteJoin(room)}
        >
          {name}
        </a>
        <span className="rooms-detail">{note || address}</span>
      </div>
      <CopyButton text={address} label={`Copy link of ${name}`} />
      <IconButton icon="edit" label={`Edit ${name}`} onPress={onEdit} />
      <IconButton icon="trash" label={`Delete ${name}`} onPress={() => void remove(room)} />
    </>
  );
}
