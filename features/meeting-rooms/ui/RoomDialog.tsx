/** Creates or edits a meeting room. */
import { useId, useState } from 'react';
import { Button, Dialog, TextField } from '@shell/components';
import { reasonOf } from '@shell/api';
import { completeAddress } from '@shell/links';
import { useRoomActions, type MeetingRoom } from './data';

export function RoomDialog({ room, onClose }: { room: MeetingRoom | null; onClose: () => void }) {
  const form = useId();
  const [draft, setDraft] = useState({
    name: room?.name ?? '',
    address: room?.address ?? '',
    note: room?.note ?? '',
  });
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const { create, update } = useRoomActions();
  const change = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const isComplete = draft.name.trim() !== '' && draft.address.trim() !== '';
  const submit = async () => {
    if (!isComplete || isPending) return;
    setPending(true);
    setProblem(null);
    const fields = { ...draft, name: draft.name.trim(), address: completeAddress(draft.address) };
    try {
      await (room ? update(room, fields) : create(fields));
      onClose();
    } catch (failure) {
      setProblem(failure);
      setPending(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={room ? 'Edit room' : 'New room'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isDisabled={!isComplete} isPending={isPending}>
            {room ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="rooms-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label="Name"
          value={draft.name}
          onChange={(name) => change({ name })}
          maxLength={100}
          autoComplete="off"
          autoFocus
        />
        <TextField
          label="Link"
          placeholder="https://meet.example.com/team"
          value={draft.address}
          onChange={(address) => change({ address })}
          autoComplete="off"
          help="The link of a video call, such as Meet, Zoom, Teams, or Jitsi."
        />
        <TextField
          label="Note"
          value={draft.note}
          onChange={(note) => change({ note })}
          maxLength={500}
          rows={2}
          autoComplete="off"
        />
        {problem !== null && (
          <p role="alert" className="rooms-problem">
            {reasonOf(problem)}
          </p>
        )}
      </form>
    </Dialog>
  );
}
