/** Two days in a cell that is being edited; the draft holds them as `from/to`. */
import type { KeyboardEvent, Ref } from 'react';

interface SpanFieldsProps {
  /** Takes the field that is focused first. */
  first: Ref<HTMLInputElement>;
  label: string;
  draft: string;
  isRefused: boolean;
  onDraft: (draft: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  /** The focus went elsewhere. */
  onLeave: () => void;
}

export function SpanFields({ first, label, draft, isRefused, onDraft, onKeyDown, onLeave }: SpanFieldsProps) {
  const [from = '', to = ''] = draft.split('/');
  const field = { type: 'date', className: 'cell-editor', 'aria-invalid': isRefused || undefined } as const;
  return (
    <span
      role="group"
      aria-label={label}
      className="cell-span"
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && onLeave()}
      onKeyDown={(event) => {
        // Between the two days Tab goes as it always does.
        const within = event.shiftKey ? event.currentTarget.firstChild !== event.target : event.currentTarget.lastChild !== event.target;
        if (event.key === 'Tab' && within) event.stopPropagation();
        else onKeyDown(event);
      }}
    >
      <input {...field} ref={first} aria-label="From" value={from} max="9999-12-31" onChange={(event) => onDraft(`${event.target.value}/${to}`)} />
      <input {...field} aria-label="To" value={to} min={from || undefined} max="9999-12-31" onChange={(event) => onDraft(`${from}/${event.target.value}`)} />
    </span>
  );
}
