/** The room palette: type to filter, Enter joins. The last joined room comes first. */
import { useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Input,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { Icon } from '@shell/components';
import { reasonOf } from '@shell/api';
import { useShortcuts } from '@shell/shortcuts';
import { lastJoinedFirst, useRoomActions, useRooms, type MeetingRoom } from './data';

export default function RoomPalette({ onClose }: { onClose: () => void }) {
  const { data: rooms, error } = useRooms();
  const { join } = useRoomActions();
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  // The same keys close it.
  useShortcuts('Meeting rooms', [{ keys: 'Mod+Shift+z', label: 'Close the room palette', run: onClose }]);
  const words = text.split(/\s+/).filter(Boolean);
  const found = lastJoinedFirst(rooms ?? []).filter(({ name, note, address }) =>
    words.every((word) => [name, note, address].some((part) => contains(part, word))),
  );
  const choose = (room: MeetingRoom) => {
    onClose();
    join(room);
  };
  const none = error
    ? reasonOf(error)
    : !rooms
      ? 'Loading meeting rooms'
      : rooms.length === 0
        ? 'No meeting rooms. Add them on the meeting rooms page.'
        : 'No matches';
  return (
    <ModalOverlay className="scrim" isDismissable isOpen onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal modal-medium">
        <Dialog className="palette" aria-label="Join a meeting room">
          <div className="palette-body">
            <Autocomplete inputValue={text} onInputChange={setText}>
              <SearchField
                aria-label="Filter meeting rooms"
                autoFocus
                className="palette-field"
                onKeyDown={(event) => {
                  // Enter takes the first one, also before you move to it.
                  const first = found[0];
                  if (event.key === 'Enter' && first && !document.querySelector('.palette-list [data-focused]'))
                    choose(first);
                }}
              >
                <Icon name="video" />
                <Input placeholder="Join a meeting room" className="palette-input" />
              </SearchField>
              <Menu
                className="list palette-list"
                aria-label="Meeting rooms"
                items={found}
                renderEmptyState={() => <p className="palette-empty">{none}</p>}
              >
                {(room) => (
                  <MenuItem id={room.id} textValue={room.name} className="list-item" onAction={() => choose(room)}>
                    <Icon name="video" />
                    <span className="list-text palette-text">
                      <span>{room.name}</span>
                      <span className="list-detail">{room.note || room.address}</span>
                    </span>
                  </MenuItem>
                )}
              </Menu>
            </Autocomplete>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
