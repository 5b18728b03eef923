/** The text of a note, saved while typing, and its color. */
import { useEffect, useRef, useState } from 'react';
import { COLORS, useNoteActions, type StickyNote } from './data';

/** Pause in typing after which the text is saved. */
const SAVE_MS = 400;

export function NoteEditor({ note, isFocused = false }: { note: StickyNote; isFocused?: boolean }) {
  const { update } = useNoteActions();
  const [draft, setDraft] = useState<string | null>(null);
  const unsaved = useRef<string | null>(null);
  const save = async () => {
    const text = unsaved.current;
    if (text === null) return;
    unsaved.current = null;
    if (await update(note.id, { text })) {
      // Typed on meanwhile: that is saved next.
      if (unsaved.current === null) setDraft(null);
    } else {
      unsaved.current ??= text;
    }
  };
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    if (draft === null) return;
    const timer = setTimeout(() => void latest.current(), SAVE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  useEffect(() => {
    const now = () => void latest.current();
    window.addEventListener('pagehide', now);
    return () => {
      window.removeEventListener('pagehide', now);
      now();
    };
  }, []);
  return (
    <textarea
      className="note-text"
      aria-label="Text of the note"
      placeholder="Write a note"
      maxLength={10_000}
      value={draft ?? note.text}
      autoFocus={isFocused}
      onChange={({ target }) => {
        unsaved.current = target.value;
        setDraft(target.value);
      }}
      onBlur={() => void save()}
    />
  );
}

export function NoteColors({ note }: { note: StickyNote }) {
  const { update } = useNoteActions();
  return (
    <div role="group" aria-label="Color" className="note-colors">
      {COLORS.map((color) => (
        <button
          key={color}
          type="button"
          className="note-color"
          data-color={color}
          aria-label={color}
          aria-pressed={color === note.color}
          onClick={() => void update(note.id, { color })}
        />
      ))}
    </div>
  );
}
