/** An entry as it's drawn in all views, with its keys. */
import type { CSSProperties, KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { Icon } from '@shell/components';
import { describe, lookOf, type Entry, type NewEvent } from './model';

/** What can be done with entries. */
export interface EntryActions {
  open: (entry: Entry) => void;
  /** By days and minutes. */
  move: (entry: Entry, days: number, minutes: number) => void;
  /** Draws an entry where it would go; null ends that. */
  preview: (entry: Entry, days: number, minutes: number) => void;
  endPreview: () => void;
  resize: (entry: Entry, minutes: number) => void;
  previewResize: (entry: Entry, minutes: number) => void;
  remove: (entry: Entry) => void;
  create: (event: NewEvent) => void;
  openDay: (day: number) => void;
}

const STEP_MINUTES = 15;

/** Keys of a focused entry; true if handled. */
function entryKey({ key, altKey }: KeyboardEvent, entry: Entry, actions: EntryActions): boolean {
  if (altKey) {
    const steps: Record<string, [days: number, minutes: number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: entry.isAllDay ? [-7, 0] : [0, -STEP_MINUTES],
      ArrowDown: entry.isAllDay ? [7, 0] : [0, STEP_MINUTES],
    };
    const step = steps[key];
    if (!step) return false;
    if (entry.canMove) actions.move(entry, ...step);
    return true;
  }
  if ((key === 'Delete' || key === 'Backspace') && entry.source.kind === 'event' && entry.canMove) {
    actions.remove(entry);
    return true;
  }
  return false;
}

export function EntryButton({
  entry,
  actions,
  className = '',
  style,
  tabIndex = -1,
  onPointerDown,
  children,
}: {
  entry: Entry;
  actions: EntryActions;
  className?: string;
  style?: CSSProperties;
  tabIndex?: number;
  onPointerDown?: (event: PointerEvent) => void;
  children: ReactNode;
}) {
  const { source } = entry;
  const words = describe(entry);
  return (
    <button
      type="button"
      className={`cal-entry ${className}`}
      style={{ '--tint': entry.color, ...style } as CSSProperties}
      data-key={entry.key}
      data-from={entry.first}
      data-to={entry.last}
      data-end={entry.end}
      data-kind={source.kind === 'board' ? source.board.kind : source.kind}
      data-look={lookOf(entry)}
      tabIndex={tabIndex}
      aria-label={words}
      title={words}
      onClick={() => actions.open(entry)}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || !entryKey(event, entry, actions)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={onPointerDown}
    >
      {source.kind === 'event' && source.event.zoneUnknown && <Icon name="warning" size={12} className="cal-mark" />}
      {source.kind === 'event' && source.event.isPending && <Icon name="upload" size={12} className="cal-mark" />}
      {children}
    </button>
  );
}

/** The drawn entries that cover a day, in the order of the page. */
export const entriesOn = (frame: HTMLElement | null, day: number): HTMLElement[] =>
  [...(frame?.querySelectorAll<HTMLElement>('[data-key]') ?? [])].filter(
    ({ dataset }) => Number(dataset.from) <= day && day <= Number(dataset.to),
  );

/** Up and down among the entries of a day; null for other keys. */
export function entryByKey(key: string, entries: readonly HTMLElement[], at: Element): HTMLElement | null {
  const by = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  const index = entries.findIndex((entry) => entry === at);
  return by === 0 || index < 0 ? null : entries[(index + by + entries.length) % entries.length]!;
}
