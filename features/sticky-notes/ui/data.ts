/** Sticky notes: types, queries, and actions. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { useReported } from '@shell/requests';

export type StickyNote = Schemas['StickyNote'];
export type StickyNoteColor = Schemas['StickyNoteColor'];
type NoteFields = Partial<Pick<StickyNote, 'text' | 'color' | 'isOpen'>>;

/** The start of this feature's query keys: one event invalidates all of them. */
export const NOTES = ['notes'];

/** Colors in the order of their buttons. */
export const COLORS: readonly StickyNoteColor[] = ['yellow', 'green', 'blue', 'pink', 'gray'];

/** All notes, the newest first. */
export const useNotes = () =>
  useQuery({
    queryKey: [...NOTES, 'list'],
    queryFn: ({ signal }) => client.get('/notes', { signal }).then(({ items }) => items),
  });

export const useNote = (noteId: string) =>
  useQuery({
    queryKey: [...NOTES, noteId],
    queryFn: ({ signal }) => client.get('/notes/{noteId}', { path: { noteId }, signal }),
  });

/** Creates a note, which opens its window. */
export async function createNote(fields: NoteFields = {}): Promise<boolean> {
  try {
    await client.post('/notes', { body: fields });
    return true;
  } catch (failure) {
    toast.problem("Couldn't create a sticky note", failure);
    return false;
  }
}

/** Actions on notes. Each shows its failures and loads the notes again. */
export function useNoteActions() {
  const then = useReported(NOTES);
  return {
    update: (noteId: string, body: NoteFields) =>
      then("Couldn't change the sticky note", client.patch('/notes/{noteId}', { path: { noteId }, body })),
    remove: (noteId: string) =>
      then("Couldn't delete the sticky note", client.delete('/notes/{noteId}', { path: { noteId } })),
  };
}
