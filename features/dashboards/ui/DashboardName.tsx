import { useEffect, useRef, useState } from 'react';

/** Characters of a name; the program takes no more. */
const NAME_MAX = 255;

/** The name as the page's heading; pressing it makes it a field. Enter keeps, Escape leaves it as it was. */
export function DashboardName({ name, isEditing, onEditing, onRename }: { name: string; isEditing: boolean; onEditing: (isEditing: boolean) => void; onRename: (name: string) => void }) {
  return (
    <h1 className="dash-name">
      {isEditing ? (
        <Field name={name} onDone={(next) => {
          onEditing(false);
          if (next) onRename(next);
        }} />
      ) : (
        <button type="button" className="dash-name-button" onClick={() => onEditing(true)} title="Rename">
          {name}
        </button>
      )}
    </h1>
  );
}

function Field({ name, onDone }: { name: string; onDone: (name: string | null) => void }) {
  const [text, setText] = useState(name);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => input.current?.select(), []);
  const done = (next: string | null) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(next);
  };
  return (
    <input
      ref={input}
      className="dash-name-input"
      aria-label="Name of the dashboard"
      value={text}
      maxLength={NAME_MAX}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => done(text.trim() || null)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done(text.trim() || null);
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        done(null);
      }}
    />
  );
}
