/** All sticky notes. */
import { Button, EmptyState, ErrorState, IconButton, Loading, Page, toast } from '@shell/components';
import { NoteColors, NoteEditor } from './NoteEditor';
import { createNote, useNoteActions, useNotes, type StickyNote } from './data';
import './notes.css';

export default function NotesPage() {
  const { data: notes, error, refetch } = useNotes();
  const create = () => void createNote().then(() => refetch());
  return (
    <Page
      title="Sticky notes"
      actions={
        <Button icon="plus" onPress={create}>
          New sticky note
        </Button>
      }
    >
      {error && !notes ? (
        <ErrorState title="Couldn't load sticky notes" error={error} onRetry={() => void refetch()} />
      ) : !notes ? (
        <Loading label="Loading sticky notes" />
      ) : notes.length === 0 ? (
        <EmptyState icon="edit" title="No sticky notes">
          Sticky notes stay above all other windows.
        </EmptyState>
      ) : (
        <ul className="notes" aria-label="Sticky notes">
          {notes.map((note, at) => (
            <Note key={note.id} note={note} isFocused={at === 0 && note.text === ''} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function Note({ note, isFocused }: { note: StickyNote; isFocused: boolean }) {
  const { update, remove } = useNoteActions();
  const removed = async () => {
    if (!(await remove(note.id))) return;
    const { text, color } = note;
    toast.done('Deleted a sticky note', { undo: async () => void (await createNote({ text, color })) });
  };
  return (
    <li className="note" data-color={note.color}>
      <NoteEditor note={note} isFocused={isFocused} />
      <div className="note-bar">
        <NoteColors note={note} />
        <Button variant="plain" onPress={() => void update(note.id, { isOpen: !note.isOpen })}>
          {note.isOpen ? 'Hide window' : 'Show window'}
        </Button>
        <IconButton icon="trash" label="Delete note" onPress={() => void removed()} />
      </div>
    </li>
  );
}
