/** The next days that have entries, as a list. Arrow keys move among the entries. */
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Button, EmptyState } from '@shell/components';
import { formatDay } from '@shell/dates';
import { Link } from 'wouter';
import { EntryButton } from './EntryButton';
import { agendaOf } from './layout';
import { marksOf, timeRange, type Entry } from './model';
import type { ViewProps } from './MonthView';

export function AgendaView({
  window: { from, to },
  today,
  entries,
  sessions,
  actions,
  onNew,
}: ViewProps & { onNew: () => void }) {
  const all = useMemo(() => [...entries, ...sessions], [entries, sessions]);
  const days = useMemo(() => agendaOf(all, { from, to }), [all, from, to]);
  const [active, setActive] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const place = (day: number, entry: Entry) => `${day} ${entry.key}`;
  const places = new Set(days.flatMap(({ day, entries: these }) => these.map((entry) => place(day, entry))));
  const tabbed = places.has(active) ? active : [...places][0];
  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])];
    const index = buttons.findIndex((button) => button === document.activeElement);
    if (by === 0 || index < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[index + by]?.focus();
  };
  if (days.length === 0)
    return (
      <EmptyState icon="calendar" title="No events" action={<Button onPress={onNew}>New event</Button>}>
        Nothing is planned in these 30 days.
      </EmptyState>
    );
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Keys of the entries bubble up here.
    <div className="cal-agenda" ref={list} onKeyDown={onKey}>
      {days.map(({ day, entries: these }) => (
        <section key={day} className="cal-agenda-day" aria-label={formatDay(day, { dateStyle: 'full' })}>
          <h3 aria-current={day === today ? 'date' : undefined}>
            {formatDay(day, { weekday: 'short', day: 'numeric', month: 'short' })}
            {day === today && <span className="cal-today">Today</span>}
          </h3>
          <ul>
            {these.map((entry) => (
              <li key={entry.key} onFocus={() => setActive(place(day, entry))}>
                {entry.source.kind === 'session' ? (
                  <Link
                    href={`/sessions/${entry.source.session.sessionId}`}
                    className="cal-agenda-session"
                    data-key={entry.key}
                    data-from={entry.first}
                    tabIndex={place(day, entry) === tabbed ? 0 : -1}
                  >
                    <AgendaText entry={entry} />
                  </Link>
                ) : (
                  <EntryButton
                    entry={entry}
                    actions={actions}
                    className="cal-agenda-entry"
                    tabIndex={place(day, entry) === tabbed ? 0 : -1}
                  >
                    <AgendaText entry={entry} />
                  </EntryButton>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function AgendaText({ entry }: { entry: Entry }) {
  const marks = marksOf(entry).join(', ');
  const place = entry.source.kind === 'event' ? entry.source.event.location : '';
  return (
    <>
      <span className="cal-dot" />
      <span className="cal-agenda-time">{entry.isAllDay ? 'All day' : timeRange(entry)}</span>
      <span className="cal-name">{entry.title}</span>
      <span className="cal-agenda-detail">{[entry.of, place, marks].filter(Boolean).join(' · ')}</span>
    </>
  );
}
