/** A day, or two, in a cell that is being edited: typed in any form that is understood, with the browser's calendar to choose from. */
import { useRef, type KeyboardEvent } from 'react';
import { Icon } from '@shell/components';

interface DayFieldsProps {
  /** Takes the field that is typed in. */
  first: (field: HTMLElement | null) => void;
  label: string;
  draft: string;
  isRefused: boolean;
  /** The two days that the draft stands for, or one; empty where it stands for none. */
  days: readonly string[];
  isSpan: boolean;
  onDraft: (draft: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  /** The focus went elsewhere. */
  onLeave: () => void;
}

export function DayFields({
  first,
  label,
  draft,
  isRefused,
  days,
  isSpan,
  onDraft,
  onKeyDown,
  onLeave,
}: DayFieldsProps) {
  const field = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const [from = '', to = from] = days;
  const choose = (chosen: string) => {
    onDraft(chosen);
    field.current?.focus();
  };
  return (
    <span
      className="cell-day"
      data-span={isSpan || undefined}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && onLeave()}
    >
      <input
        ref={(element) => {
          field.current = element;
          first(element);
        }}
        type="text"
        className="cell-editor"
        aria-label={label}
        aria-invalid={isRefused || undefined}
        autoComplete="off"
        placeholder={isSpan ? 'YYYY-MM-DD to YYYY-MM-DD' : 'YYYY-MM-DD'}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || !event.altKey) return onKeyDown(event);
          event.preventDefault();
          event.stopPropagation();
          calendar.current?.showPicker();
        }}
      />
      <Calendar
        held={calendar}
        label={isSpan ? 'Choose the first day' : 'Choose the day'}
        day={from}
        onDay={(day) => choose(isSpan ? `${day} to ${to < day ? day : to}` : day)}
      />
      {isSpan && (
        <Calendar label="Choose the last day" day={to} min={from} onDay={(day) => choose(`${from || day} to ${day}`)} />
      )}
    </span>
  );
}

interface CalendarProps {
  held?: { current: HTMLInputElement | null };
  label: string;
  day: string;
  min?: string;
  onDay: (day: string) => void;
}

/** A button that opens the browser's calendar. The field keeps the focus. */
function Calendar({ held, label, day, min, onDay }: CalendarProps) {
  const own = useRef<HTMLInputElement>(null);
  const picker = held ?? own;
  return (
    <span className="cell-calendar">
      <input
        ref={picker}
        type="date"
        tabIndex={-1}
        aria-hidden="true"
        value={day}
        min={min || undefined}
        max="9999-12-31"
        onChange={(event) => event.target.value !== '' && onDay(event.target.value)}
        // No key of the table's.
        onKeyDown={(event) => event.stopPropagation()}
      />
      <button
        type="button"
        tabIndex={-1}
        className="btn-icon"
        aria-label={label}
        title={held ? `${label} (Alt ↓)` : label}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => picker.current?.showPicker()}
      >
        <Icon name="calendar" />
      </button>
    </span>
  );
}
