/**
 * Edits a cell in place. Enter saves and moves down, Tab saves and moves on, Escape cancels, and leaving the cell
 * saves.
 */
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { toast } from '@shell/components';
import type { Member } from '@shell/members';
import { editAgainAction, isTyped } from './again';
import { isList, isReadOnly, type CellValue, type Column } from './data';
import { DayFields } from './DayFields';
import { fromDraft, isSpan, show, toDraft } from './format';
import { parseCell } from './grid/clipboard';
import { labelTyped } from './grid/labels';
import { LinkFields } from './LinkFields';
import { idsOf, isLink } from './links';
import { LongText } from './LongText';
import { PeopleFields } from './PeopleFields';

interface CellEditorProps {
  column: Column;
  value: CellValue;
  members: readonly Member[];
  /** The letter that began editing, which replaces what was there. */
  typed: string | null;
  /** What was typed before and not taken, to be corrected. */
  again?: string | undefined;
  /** The item whose cell it is. */
  item?: string;
  label: string;
  onCommit: (value: CellValue) => void;
  /** Editing is over; where the focus goes next, if elsewhere, and whether it is elsewhere already. */
  onDone: (step: { lines: number; columns: number } | null, isLeft?: boolean) => void;
}

/** A pause after which letters begin another label. */
const PAUSE_MS = 1_000;

export function CellEditor({
  column,
  value,
  members,
  typed: first,
  again,
  item,
  label,
  onCommit,
  onDone,
}: CellEditorProps) {
  const labels = (column.type === 'status' || column.type === 'dropdown') && (column.settings.labels ?? []);
  const isChosen = column.type === 'people' || isLink(column);
  // Space opens what is there; it is no letter of a choice, and by itself no value.
  const typed = first === ' ' ? null : first;
  const isDay = column.type === 'date' || column.type === 'timeline';
  const [draft, setDraft] = useState((): string => {
    if (again !== undefined) return again;
    if (typed !== null && !labels && !isChosen) return typed;
    if (isChosen) return isList(value) ? value.join(' ') : '';
    const held = toDraft(value, column, members);
    return labels && typed !== null ? (labelTyped(labels, '', typed, held).id ?? held) : held;
  });
  /** What it began with, where nothing was typed. */
  const opened = useRef(typed === null && again === undefined ? draft : null);
  /** What was typed of a label's text. */
  const letters = useRef(labels && typed !== null ? labelTyped(labels, '', typed, draft).letters : '');
  const lastTyped = useRef(0);
  const noLabel = (letters: string) => `No ${column.title} label contains “${letters}”.`;
  const [refused, setRefused] = useState(labels && typed !== null && letters.current === '' ? noLabel(typed) : null);
  const field = useRef<HTMLElement>(null);
  const isOver = useRef(false);
  useEffect(() => {
    const input = field.current;
    input?.focus();
    // Behind what is there: what is typed next does not replace it.
    if (input instanceof HTMLTextAreaElement || (input instanceof HTMLInputElement && input.type === 'text'))
      input.setSelectionRange(input.value.length, input.value.length);
  }, []);

  const isGiven = isReadOnly(column);
  useEffect(() => {
    // What comes from elsewhere is not edited; the cell has the focus again at once.
    if (isGiven) onDone(null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only when it appears
  }, []);

  const finish = (step: { lines: number; columns: number } | null, leaving = false, now = draft) => {
    if (isOver.current) return;
    if (now === opened.current) {
      isOver.current = true;
      return onDone(step, leaving);
    }
    const read = isDay ? parseCell : fromDraft;
    const outcome = isChosen ? { value: now === '' ? null : idsOf(now) } : read(now, column, members);
    if ('refused' in outcome && !leaving) return setRefused(outcome.refused);
    isOver.current = true;
    if ('refused' in outcome && isTyped(column.type)) {
      toast.problem(
        "Couldn't save cell",
        new Error(outcome.refused),
        item === undefined ? undefined : editAgainAction({ item, column: column.id, text: now }),
      );
    }
    if ('value' in outcome) onCommit(outcome.value);
    onDone(step, leaving);
  };
  const onKeyDown = (event: KeyboardEvent, chosen?: readonly string[]) => {
    const now = chosen?.join(' ');
    event.stopPropagation();
    if (event.key === 'Escape') {
      isOver.current = true;
      onDone(null);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      finish({ lines: 1, columns: 0 }, false, now);
    } else if (event.key === 'Tab') {
      event.preventDefault();
      finish({ lines: 0, columns: event.shiftKey ? -1 : 1 }, false, now);
    }
  };
  const hold = (element: HTMLElement | null) => {
    field.current = element;
  };
  const shared = {
    ref: hold,
    'aria-label': label,
    className: 'cell-editor',
    onKeyDown,
    onBlur: () => finish(null, true),
  };
  const reason = refused && <Refused>{refused}</Refused>;
  if (labels) {
    const typing = (event: KeyboardEvent) => {
      if (event.timeStamp - lastTyped.current > PAUSE_MS && lastTyped.current > 0) letters.current = '';
      lastTyped.current = event.timeStamp;
      // Space opens the list, unless it is within a label's text.
      if (
        event.key.length !== 1 ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (event.key === ' ' && letters.current === '')
      ) {
        letters.current = '';
        return onKeyDown(event);
      }
      event.preventDefault();
      event.stopPropagation();
      const next = labelTyped(labels, letters.current, event.key, draft);
      setRefused(next.id === undefined ? noLabel(letters.current + event.key) : null);
      letters.current = next.letters;
      if (next.id !== undefined) setDraft(next.id);
    };
    return (
      <>
        <select
          {...shared}
          value={draft}
          aria-invalid={refused !== null || undefined}
          onKeyDown={typing}
          onChange={(event) => {
            setRefused(null);
            setDraft(event.target.value);
          }}
        >
          <option value="">Empty</option>
          {labels.map((one) => (
            <option key={one.id} value={one.id}>
              {one.text}
            </option>
          ))}
        </select>
        {reason}
      </>
    );
  }
  if (isGiven) return <span className="grid-text">{show(value, column, members)}</span>;
  if (isChosen) {
    const picking = {
      first: hold,
      column,
      label,
      typed,
      draft: idsOf(draft),
      onDraft: (ids: string[]) => setDraft(ids.join(' ')),
      onKeyDown,
      onLeave: () => finish(null, true),
    };
    return column.type === 'people' ? <PeopleFields {...picking} members={members} /> : <LinkFields {...picking} />;
  }
  if (isDay) {
    const outcome = parseCell(draft, column, members);
    const day = 'value' in outcome ? outcome.value : null;
    const days = isSpan(day) ? [day.from, day.to] : typeof day === 'string' ? [day] : [];
    return (
      <>
        <DayFields
          first={hold}
          label={label}
          draft={draft}
          isRefused={refused !== null}
          days={days}
          isSpan={column.type === 'timeline'}
          onDraft={setDraft}
          onKeyDown={onKeyDown}
          onLeave={() => finish(null, true)}
        />
        {reason}
      </>
    );
  }
  if (column.type === 'longText') {
    return (
      <>
        <LongText
          hold={hold}
          label={label}
          draft={draft}
          onDraft={setDraft}
          onKeyDown={onKeyDown}
          onLeave={() => finish(null, true)}
        />
        {reason}
      </>
    );
  }
  return (
    <>
      <input
        {...shared}
        type="text"
        value={draft}
        aria-invalid={refused !== null || undefined}
        onChange={(event) => setDraft(event.target.value)}
      />
      {reason}
    </>
  );
}

/** Explains why a value isn't accepted, below its cell; scrolls into view if needed. */
function Refused({ children }: { children: ReactNode }) {
  const show = useCallback(
    (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [],
  );
  return (
    <span ref={show} role="alert" className="cell-refused">
      {children}
    </span>
  );
}
