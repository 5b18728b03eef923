/** One note, which fills a window without a frame. */
import { useParams } from 'wouter';
import { ErrorState, IconButton, Loading } from '@shell/components';
import { NoteColors, NoteEditor } from './NoteEditor';
import { useNote, useNoteActions } from './data';
import './notes.css';

export default function NotePage() {
  const { id: noteId = '' } = useParams();
  const { data: note, error, refetch } = useNote(noteId);
  const { update } = useNoteActions();
  if (error && !note) {
    return <ErrorState title="Couldn't load the sticky note" error={error} onRetry={() => void refetch()} />;
  }
  if (!note) return <Loading label="Loading the sticky note" />;
  return (
    <article className="note note-alone" data-color={note.color} aria-label="Sticky note">
      <h1 className="sr-only">Sticky note</h1>
      <header
        className="note-bar"
        onPointerDown={({ target, currentTarget, button }) => {
          if (target === currentTarget && button === 0) location.href = `pilothouse-window://drag/note-${noteId}`;
        }}
      >
        <NoteColors note={note} />
        <IconButton icon="close" label="Close note" onPress={() => void update(noteId, { isOpen: false })} />
      </header>
      <NoteEditor note={note} isFocused={note.text === ''} />
    </article>
  );
}
