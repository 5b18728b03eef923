import { useEffect, useRef, useState } from 'react';

/** Characters of a name; the program takes no more. */
const NAME_MAX = 255;

/** The name as the page's heading; pressing it makes it a field. What is typed counts at once; Enter ends it, Escape puts back what was. */
export function DashboardName({ name, isEditing, onEditing, onRename }: { name: string; isEditing: boolean; onEditing: (isEditing: boolean) => void; onRename: (name: string) => void }) {
  return (
    <h1 className="dash-name">
      {isEditing ? (
        <Field name={name} onDone={() => onEditing(false)} onRename={onRename} />
      ) : (
        <button type="button" className="dash-name-button" onClick={() => onEditing(true)} title="Rename">
          {name}
        </button>
      )}
    </h1>
  );
}

function Field({ name, onDone, onRename }: { name: string; onDone: () => void; onRename: (name: string) => void }) {
  const [before] = useState(name);
  const [text, setText] = useState(name);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return (
    <input
      ref={input}
      className="dash-name-input"
      aria-label="Name of the dashboard"
      value={text}
      maxLength={NAME_MAX}
      onChange={(event) => {
        setText(event.target.value);
        // Without a name it keeps the one that it had.
        onRename(event.target.value.trim() || before);
      }}
      onBlur={onDone}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onDone();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onRename(before);
        onDone();
      }}
    />
  );
}
