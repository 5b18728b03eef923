import { useEffect, useRef, useState } from 'react';
import { useFocusKept } from '@shell/focus';

/** Characters of a name; the program takes no more. */
const NAME_MAX = 255;

/** The name as the page's heading; pressing it makes it a field. What is typed counts at once; Enter ends it, Escape puts back what was. */
export function DashboardName({ name, isEditing, onEditing, onRename }: { name: string; isEditing: boolean; onEditing: (isEditing: boolean) => void; onRename: (name: string) => void }) {
  const heading = useFocusKept<HTMLHeadingElement>('button', () => null);
  return (
    <h1 className="dash-name" ref={heading}>
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
  /** What is typed, and the name from before it. Until something is, the field follows the name. */
  const [typed, setTyped] = useState<{ text: string; before: string } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return (
    <input
      ref={input}
      className="dash-name-input"
      aria-label="Name of the dashboard"
      value={typed?.text ?? name}
      maxLength={NAME_MAX}
      onChange={(event) => {
        const before = typed?.before ?? name;
        setTyped({ text: event.target.value, before });
        // Without a name it keeps the one that it had.
        onRename(event.target.value.trim() || before);
      }}
      onBlur={onDone}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // The key ends here: the button that has the focus next would take it for a press.
        event.preventDefault();
        if (event.key === 'Enter') return onDone();
        event.stopPropagation();
        if (typed) onRename(typed.before);
        onDone();
      }}
    />
  );
}
