/** The calendar: a month, a week, a day, or an agenda, with the calendars at the side. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Button, EmptyState, ErrorState, IconButton, Loading, Menu, Page, TextField } from '@shell/components';
import { dayNumber, dayText, isIsoDate, MINUTE_MS, useToday } from '@shell/dates';
import { usePreference } from '@shell/preferences';
import { useSetting } from '@shell/settings';
import { useShortcuts } from '@shell/shortcuts';
import { AccountDialog, CalendarDialog, SubscribeDialog } from './AddDialogs';
import { AgendaView } from './AgendaView';
import { addGroups, CalendarList, type Adding } from './CalendarList';
import { useAccounts, useCalendarActions, useCalendars, useEvents } from './data';
import type { EntryActions } from './EntryButton';
import { EventDialog } from './EventDialog';
import { titleOf, turned, VIEWS, windowOf, type View } from './layout';
import { MonthView, type ViewProps } from './MonthView';
import { entriesOf, movedTimes, sessionEntries, timedEvent, type Entry, type NewEvent, type Times } from './model';
import { useScope } from './ScopeDialog';
import { axisOf, dayOf, HERE, instantAt, instantText } from './time';
import { NEW_MINUTES, TimeView } from './TimeView';
import type { Calendar, Occurrence } from './types';
import { useWanted } from './useWanted';
import './calendar.css';

/** Where the keyboard starts in a day. */
const FIRST_ROW = 9 * 60;
const SHORTEST_MS = 15 * MINUTE_MS;

/** The view and day in the address. The view is also remembered. */
function usePlace() {
  const [params, setParams] = useSearchParams();
  const [remembered, remember] = usePreference('calendar.view');
  const today = useToday();
  const named = params.get('view') ?? remembered;
  const view = VIEWS.find((one) => one.view === named)?.view ?? 'month';
  const date = params.get('date');
  const day = (date !== null && isIsoDate(date) ? dayNumber(date) : null) ?? today;
  const place = useRef({ view, day });
  place.current = { view, day };
  const show = useCallback(
    (next: Partial<{ view: View; day: number }>, isNewEntry = false) => {
      const shown = { ...place.current, ...next };
      if (shown.view === place.current.view && shown.day === place.current.day) return;
      place.current = shown;
      if (next.view) remember(next.view);
      setParams({ view: shown.view, date: dayText(shown.day) }, { replace: !isNewEntry });
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- Both keep what they do.
    [],
  );
  return { params, setParams, today, view, day, show };
}

/** Whether a key is the page's own, and not that of a menu, a list, or the grid. */
const isFree = ({ target }: Event) =>
  !(target instanceof Element && target.closest('[role=menu], [role=listbox], [role=grid], [role=dialog], .switch'));

export default function CalendarPage() {
  const { params, setParams, today, view, day, show } = usePlace();
  const weekStart = useSetting('calendarWeekStartDay') === 'sunday' ? 0 : 1;
  const [sessionsShown, setSessionsShown] = usePreference('calendar.sessions');
  const [sideShown, setSideShown] = usePreference('calendar.side');
  const hasSessions = sessionsShown === 'true';
  const [, navigate] = useLocation();
  const { data: calendars, error, refetch } = useCalendars();
  const { data: accounts = [] } = useAccounts();
  const { from, to } = windowOf(view, day, weekStart);
  const events = useEvents({ from, to });
  const actions = useCalendarActions();
  const { ask, dialog: scopeDialog } = useScope();
  const [editing, setEditing] = useState<Occurrence | NewEvent | null>(null);
  const [adding, setAdding] = useState<Adding | null>(null);
  const [preview, setPreview] = useState<{ key: string; times: Times } | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const want = useWanted(frame);
  const cursor = useRef(FIRST_ROW);

  const byId = useMemo(() => new Map((calendars ?? []).map((one): [string, Calendar] => [one.id, one])), [calendars]);
  const { moving } = actions;
  const times = useMemo(() => (preview ? new Map(moving).set(preview.key, preview.times) : moving), [moving, preview]);
  const list = events.data;
  const entries = useMemo(() => (list ? entriesOf(list, byId, times) : []), [list, byId, times]);
  const sessions = useMemo(() => (list && hasSessions ? sessionEntries(list.sessions) : []), [list, hasSessions]);

  /** Moves the focus to a day of the grid. */
  const go = (next: number) => {
    want(view === 'agenda' ? null : { day: next });
    show({ day: next });
  };
  const canCreate = calendars?.some(({ isWritable }) => isWritable) === true;
  const create = (event: NewEvent) => {
    if (!calendars) return;
    if (canCreate) setEditing(event);
    else setAdding('local');
  };
  /** An event at the day and time with the focus. */
  const createHere = () => {
    const axis = axisOf([day], HERE);
    const start = instantAt(Math.min(cursor.current, axis.minutes - NEW_MINUTES), day, axis);
    create(timedEvent(start, start + NEW_MINUTES * MINUTE_MS));
  };
  const save = async (entry: Entry, next: Times) => {
    const { source } = entry;
    const first = entry.isAllDay ? dayNumber(next.start) : dayOf(Date.parse(next.start), HERE);
    const follow = () => {
      want({ day: first ?? entry.first, key: entry.key });
      // The day that it moves to is shown.
      if (first !== null && (first < from || first >= to)) show({ day: first });
    };
    if (source.kind === 'board') {
      follow();
      await actions.moveDue(source.board, next);
    } else if (source.kind === 'event') {
      const answer = await ask(source.event, 'Move repeating event');
      if (!answer) return;
      follow();
      await actions.move(source.event, answer.scope, next);
    }
  };
  const remove = async (event: Occurrence) => {
    const answer = await ask(event, 'Delete repeating event');
    if (!answer) return;
    const first = event.allDay ? dayNumber(event.start) : dayOf(Date.parse(event.start), HERE);
    want({ day: first ?? day });
    await actions.remove(event, answer.scope);
  };
  const open = ({ source }: Entry) => {
    if (source.kind === 'event') setEditing(source.event);
    else if (source.kind === 'board') navigate(`/boards/${source.board.boardId}?item=${source.board.itemId}`);
    else navigate(`/sessions/${source.session.sessionId}`);
  };
  const resized = (entry: Entry, minutes: number): Times => {
    const end = Math.max(entry.start + SHORTEST_MS, entry.end + minutes * MINUTE_MS);
    return { start: instantText(entry.start), end: instantText(end) };
  };
  // Views are drawn again only if their data changes, so their actions stay the same.
  const newest = useRef({ save, remove, open, create });
  useEffect(() => {
    newest.current = { save, remove, open, create };
  });
  const entryActions = useMemo((): EntryActions => {
    const asIs = (entry: Entry, next: Times) => setPreview({ key: entry.key, times: next });
    return {
      open: (entry) => newest.current.open(entry),
      move: (entry, days, minutes) => void newest.current.save(entry, movedTimes(entry, days, minutes)),
      preview: (entry, days, minutes) => asIs(entry, movedTimes(entry, days, minutes)),
      endPreview: () => setPreview(null),
      resize: (entry, minutes) => void newest.current.save(entry, resized(entry, minutes)),
      previewResize: (entry, minutes) => asIs(entry, resized(entry, minutes)),
      remove: ({ source }) => source.kind === 'event' && void newest.current.remove(source.event),
      create: (event) => newest.current.create(event),
      openDay: (at) => show({ view: 'day', day: at }, true),
    };
  }, [show]);

  // The command "New event" opens the page with `?new`.
  const isNew = params.has('new');
  useEffect(() => {
    if (!isNew || !calendars) return;
    setParams({ view, date: dayText(day) }, { replace: true });
    newest.current.create(timedEvent(...nextHour()));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- Once for each `?new`.
  }, [isNew, calendars]);

  const turn = (by: 1 | -1) => {
    const next = turned(view, day, by);
    // A focus in the grid stays there.
    if (frame.current?.contains(document.activeElement)) go(next);
    else show({ day: next });
  };
  useShortcuts('Calendar', [
    { keys: 't', label: 'Go to today', run: () => go(today) },
    ...VIEWS.map(({ view: one, label, key }) => ({
      keys: key,
      label: `Show ${label.toLowerCase()}`,
      run: () => {
        want(one === 'agenda' ? null : { day });
        show({ view: one }, true);
      },
    })),
    { keys: 'k', label: 'Previous', run: () => turn(-1) },
    { keys: 'j', label: 'Next', run: () => turn(1) },
    { keys: 'ArrowLeft', label: 'Previous (outside the grid)', run: (event) => (isFree(event) ? turn(-1) : false) },
    { keys: 'ArrowRight', label: 'Next (outside the grid)', run: (event) => (isFree(event) ? turn(1) : false) },
    { keys: 'c', label: 'New event', run: createHere },
    { keys: 'Enter', label: "Open event, or go to the day's events" },
    { keys: 'Alt+← →', label: 'Move event by a day' },
    { keys: 'Alt+↑ ↓', label: 'Move event by 15 minutes' },
    { keys: 'Delete', label: 'Delete event' },
  ]);

  const title = titleOf(view, day, weekStart);
  const props: ViewProps = {
    window: { from, to },
    weekStart,
    today,
    day,
    entries,
    sessions,
    label: title,
    actions: entryActions,
    onGo: go,
    onDay: (next) => show({ day: next }),
  };
  const isEmpty = calendars?.length === 0 && entries.length === 0 && sessions.length === 0;
  const hasSide = sideShown !== 'false';
  return (
    <Page
      title="Calendar"
      actions={
        <Button variant="primary" icon="plus" onPress={createHere}>
          New event
        </Button>
      }
    >
      <div className="cal-page">
        {hasSide && calendars && (
          <CalendarList
            calendars={calendars}
            accounts={accounts}
            actions={actions}
            hasSessions={hasSessions}
            onSessions={(isShown) => setSessionsShown(isShown ? 'true' : null)}
            onAdd={setAdding}
          />
        )}
        <div className="cal-main">
          <div className="cal-bar-top">
            <IconButton
              icon="sidebar"
              label={hasSide ? 'Hide calendars' : 'Show calendars'}
              onPress={() => setSideShown(hasSide ? 'false' : null)}
            />
            <Button onPress={() => show({ day: today })}>Today</Button>
            <IconButton icon="chevronLeft" label={`Previous ${unitOf(view)}`} keys="K" onPress={() => turn(-1)} />
            <IconButton icon="chevronRight" label={`Next ${unitOf(view)}`} keys="J" onPress={() => turn(1)} />
            <h2 className="cal-title" aria-live="polite">
              {title}
            </h2>
            <div className="cal-date">
              <TextField
                aria-label="Go to date"
                type="date"
                value={dayText(day)}
                onChange={(date) => isIsoDate(date) && show({ day: dayNumber(date)! })}
              />
            </div>
            <div className="cal-views" role="group" aria-label="View">
              {VIEWS.map(({ view: one, label }) => (
                <button key={one} type="button" aria-pressed={view === one} onClick={() => show({ view: one }, true)}>
                  {label}
                </button>
              ))}
            </div>
          </div>
          <p className="sr-only" id="cal-keys">
            Arrow keys move between days and times. Enter goes to the day's events, C creates one. On an event, Alt and
            arrow keys move it.
          </p>
          {list?.truncated && (
            <p className="cal-truncated" role="status">
              Not all events are shown. Choose a shorter view, or hide calendars.
            </p>
          )}
          <div className="cal-frame" ref={frame}>
            {(error && !calendars) || (events.error && !list) ? (
              <ErrorState
                title="Couldn't load calendar"
                error={error ?? events.error}
                onRetry={() => {
                  void refetch();
                  void events.refetch();
                }}
              />
            ) : !calendars || !list ? (
              <Loading label="Loading calendar" />
            ) : isEmpty ? (
              <EmptyState
                icon="calendar"
                title="No calendars"
                action={
                  <Menu label="Add calendar" groups={addGroups(setAdding)} placement="bottom start">
                    <Button variant="primary">Add calendar</Button>
                  </Menu>
                }
              >
                Create a calendar here, or connect an existing one.
              </EmptyState>
            ) : view === 'month' ? (
              <MonthView {...props} />
            ) : view === 'agenda' ? (
              <AgendaView {...props} onNew={createHere} />
            ) : (
              <TimeView key={view} {...props} cursor={cursor} />
            )}
          </div>
        </div>
      </div>
      {editing && calendars && (
        <EventDialog
          event={editing}
          calendars={calendars}
          actions={actions}
          ask={ask}
          onDelete={(event) => void remove(event)}
          onClose={() => setEditing(null)}
        />
      )}
      {scopeDialog}
      {adding === 'local' && <CalendarDialog calendar={null} actions={actions} onClose={() => setAdding(null)} />}
      {adding === 'caldav' && <AccountDialog onClose={() => setAdding(null)} />}
      {adding === 'subscription' && <SubscribeDialog onClose={() => setAdding(null)} />}
    </Page>
  );
}

const unitOf = (view: View) => (view === 'agenda' ? '30 days' : view);

/** The next whole hour, and an hour later. */
function nextHour(): [start: number, end: number] {
  const hour = 60 * MINUTE_MS;
  const start = (Math.floor(Date.now() / hour) + 1) * hour;
  return [start, start + hour];
}
