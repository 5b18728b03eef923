/** Edits one cell in place. Enter saves and goes down, Tab saves and goes on, Escape takes back; leaving saves. */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { isReadOnly, type CellValue, type Column, type Member } from './data';
import { fromDraft, show, toDraft } from './format';
import { LinkFields } from './LinkFields';
import { idsOf, isLink } from './links';
import { SpanFields } from './SpanFields';

interface CellEditorProps {
  column: Column;
  value: CellValue;
  members: readonly Member[];
  /** The letter that began editing, which replaces what was there. */
  typed: string | null;
  label: string;
  onCommit: (value: CellValue) => void;
  /** Editing is over; where the focus goes next, if elsewhere. */
  onDone: (step: { lines: number; columns: number } | null) => void;
}

export function CellEditor({ column, value, members, typed, label, onCommit, onDone }: CellEditorProps) {
  const takesLetter = typed !== null && column.type !== 'status' && column.type !== 'dropdown' && column.type !== 'date' && column.type !== 'timeline' && !isLink(column);
  const [draft, setDraft] = useState(() => (takesLetter ? typed : toDraft(value, column, members)));
  const [refused, setRefused] = useState<string | null>(null);
  const field = useRef<HTMLElement>(null);
  const isOver = useRef(false);
  useEffect(() => {
    const input = field.current;
    input?.focus();
    if (!takesLetter && input instanceof HTMLInputElement && input.type === 'text') input.select();
  }, [takesLetter]);

  const isGiven = isReadOnly(column);
  useEffect(() => {
    // What comes from elsewhere is not edited; the cell has the focus again at once.
    if (isGiven) onDone(null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only when it appears
  }, []);

  const finish = (step: { lines: number; columns: number } | null, leaving = false) => {
    if (isOver.current) return;
    const outcome = fromDraft(draft, column, members);
    if ('refused' in outcome && !leaving) return setRefused(outcome.refused);
    isOver.current = true;
    if ('value' in outcome) onCommit(outcome.value);
    onDone(step);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') {
      isOver.current = true;
      onDone(null);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      finish({ lines: 1, columns: 0 });
    } else if (event.key === 'Tab') {
      event.preventDefault();
      finish({ lines: 0, columns: event.shiftKey ? -1 : 1 });
    }
  };
  const hold = (element: HTMLElement | null) => {
    field.current = element;
  };
  const shared = { ref: hold, 'aria-label': label, className: 'cell-editor', onKeyDown, onBlur: () => finish(null, true) };
  if (column.type === 'status' || column.type === 'dropdown') {
    return (
      <select {...shared} value={draft} onChange={(event) => setDraft(event.target.value)}>
        <option value="">Empty</option>
        {column.settings.labels?.map((one) => (
          <option key={one.id} value={one.id}>
            {one.text}
          </option>
        ))}
      </select>
    );
  }
  if (isGiven) return <span className="grid-text">{show(value, column, members)}</span>;
  if (isLink(column)) {
    return (
      <LinkFields
        first={hold}
        column={column}
        label={label}
        draft={idsOf(draft)}
        onDraft={(ids) => setDraft(ids.join(' '))}
        onKeyDown={onKeyDown}
        onLeave={() => finish(null, true)}
      />
    );
  }
  const reason = refused && (
    <span role="alert" className="cell-refused">
      {refused}
    </span>
  );
  if (column.type === 'timeline') {
    return (
      <>
        <SpanFields first={hold} label={label} draft={draft} isRefused={refused !== null} onDraft={setDraft} onKeyDown={onKeyDown} onLeave={() => finish(null, true)} />
        {reason}
      </>
    );
  }
  return (
    <>
      <input {...shared} type={column.type === 'date' ? 'date' : 'text'} value={draft} aria-invalid={refused !== null || undefined} onChange={(event) => setDraft(event.target.value)} />
      {reason}
    </>
  );
}
