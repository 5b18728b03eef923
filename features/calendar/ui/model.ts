/** What the views draw: events, dates of boards, and sessions as entries of one kind, and their moves. */
import { DAY_MS, dayNumber, dayText } from '@shell/dates';
import { dayOf, formatTime, HERE, instantText, moved, startOfDay, type Zone } from './time';
import type { BoardEntry, Calendar, EventFields, EventList, Occurrence, SessionEntry } from './types';

/** What an entry stands for. */
export type Source =
  | { kind: 'event'; event: Occurrence }
  | { kind: 'board'; board: BoardEntry }
  | { kind: 'session'; session: SessionEntry };

/** An entry of the calendar. */
export interface Entry {
  key: string;
  title: string;
  color: string;
  /** The calendar or board. */
  of: string;
  isAllDay: boolean;
  /** Instants; of whole days, midnights. */
  start: number;
  end: number;
  /** Its days, both inclusive. */
  first: number;
  last: number;
  canMove: boolean;
  source: Source;
}

/** New times of an entry: days of one that is all day, else instants. */
export interface Times {
  start: string;
  end: string;
}

export const eventKey = ({ eventId, occurrence }: Pick<Occurrence, 'eventId' | 'occurrence'>) =>
  `${eventId}/${occurrence ?? ''}`;
export const boardKey = ({ itemId, columnId, kind }: BoardEntry) => `${kind}/${itemId}/${columnId}`;

export const SESSION_COLOR = '#7f8ba3';

/** First and last day, and midnights, of an exclusive span of days. */
function daysOf(start: string, end: string, zone: Zone) {
  const first = dayNumber(start) ?? 0;
  const last = Math.max(first, (dayNumber(end) ?? first + 1) - 1);
  return { first, last, start: startOfDay(first, zone), end: startOfDay(last + 1, zone) };
}

/** Days and instants of a span of time. One that ends at midnight doesn't reach the next day. */
function instantsOf(from: string, to: string, zone: Zone) {
  const start = Date.parse(from);
  const end = Math.max(start, Date.parse(to));
  return { start, end, first: dayOf(start, zone), last: dayOf(Math.max(start, end - 1), zone) };
}

export function eventEntry(event: Occurrence, calendar: Calendar | undefined, zone: Zone = HERE): Entry {
  return {
    key: eventKey(event),
    title: event.title || 'Untitled',
    color: calendar?.color ?? SESSION_COLOR,
    of: calendar?.name ?? '',
    isAllDay: event.allDay,
    ...(event.allDay ? daysOf : instantsOf)(event.start, event.end, zone),
    canMove: calendar?.isWritable === true,
    source: { kind: 'event', event },
  };
}

/** By start; all-day and longer ones first. */
const order = (a: Entry, b: Entry) =>
  a.first - b.first ||
  Number(b.isAllDay) - Number(a.isAllDay) ||
  b.last - a.last ||
  a.start - b.start ||
  b.end - a.end ||
  a.title.localeCompare(b.title);

/** The entries of a list, in order. `times` are those of entries that are being moved. */
export function entriesOf(
  list: EventList,
  calendars: ReadonlyMap<string, Calendar>,
  times: ReadonlyMap<string, Times>,
  zone: Zone = HERE,
): Entry[] {
  const entries: Entry[] = [];
  for (const event of list.items) {
    const calendar = calendars.get(event.calendarId);
    if (calendar && !calendar.isShown) continue;
    const at = times.get(eventKey(event));
    entries.push(eventEntry(at ? { ...event, ...at } : event, calendar, zone));
  }
  for (const board of list.board) {
    const key = boardKey(board);
    const at = times.get(key);
    entries.push({
      key,
      title: board.title,
      color: board.color,
      of: board.board,
      isAllDay: true,
      ...daysOf(at?.start ?? board.start, at?.end ?? board.end, zone),
      canMove: board.kind === 'due',
      source: { kind: 'board', board },
    });
  }
  return entries.sort(order);
}

/** The sessions of a list, in order. */
export const sessionEntries = (sessions: readonly SessionEntry[], zone: Zone = HERE): Entry[] =>
  sessions
    .map((session): Entry => ({
      key: `session/${session.sessionId}/${session.start}`,
      title: session.title || 'Untitled session',
      color: SESSION_COLOR,
      of: 'Sessions',
      isAllDay: false,
      ...instantsOf(session.start, session.end, zone),
      canMove: false,
      source: { kind: 'session', session },
    }))
    .sort(order);

/** Drawn as a bar in the row of whole days: whole days, and whatever takes a day or more. */
export const isBar = ({ isAllDay, start, end }: Entry) => isAllDay || end - start >= DAY_MS;

/** The times of an entry some days and minutes later. Whole days move by days only. */
export function movedTimes(entry: Entry, days: number, minutes: number, zone: Zone = HERE): Times {
  if (entry.isAllDay) return { start: dayText(entry.first + days), end: dayText(entry.last + days + 1) };
  const start = moved(entry.start, days, minutes, zone);
  return { start: instantText(start), end: instantText(start + entry.end - entry.start) };
}

/** The times that an entry has. */
export const timesOf = (entry: Entry): Times => movedTimes(entry, 0, 0);

/** `09:00 – 10:30`; nothing for whole days. */
export const timeRange = ({ isAllDay, start, end }: Entry): string =>
  isAllDay ? '' : start === end ? formatTime(start) : `${formatTime(start)} – ${formatTime(end)}`;

/** Marks of an entry, in words. */
export function marksOf({ source }: Entry): string[] {
  if (source.kind === 'session') return ['session'];
  if (source.kind === 'board') return [source.board.kind === 'due' ? 'due' : 'sprint'];
  const { event } = source;
  return [
    ...(event.isRecurring ? ['repeats'] : []),
    ...(event.status === 'canceled' ? ['canceled'] : event.status === 'tentative' ? ['tentative'] : []),
    ...(event.myResponse === 'declined' ? ['declined'] : []),
    ...(event.myResponse === 'tentative' ? ['answered maybe'] : []),
    ...(event.myResponse === 'needsAction' ? ['needs your answer'] : []),
    ...(event.isPending ? ['not sent yet'] : []),
    ...(event.zoneUnknown ? ['time zone unknown'] : []),
  ];
}

/** An entry in words: `Stand-up, 09:00 – 09:30, Work, repeats`. */
export const describe = (entry: Entry): string =>
  [entry.title, entry.isAllDay ? 'all day' : timeRange(entry), entry.of, ...marksOf(entry)].filter(Boolean).join(', ');

/** How it's drawn: `declined` is dimmed, `open` isn't settled. */
export function lookOf({ source }: Entry): 'plain' | 'declined' | 'open' {
  if (source.kind !== 'event') return 'plain';
  const { status, myResponse } = source.event;
  if (status === 'canceled' || myResponse === 'declined') return 'declined';
  return status === 'tentative' || myResponse === 'tentative' || myResponse === 'needsAction' ? 'open' : 'plain';
}

/** What a new event begins with. */
export type NewEvent = Pick<EventFields, 'start' | 'end' | 'allDay'>;

export const allDayEvent = (first: number, last = first): NewEvent => ({
  start: dayText(first),
  end: dayText(last + 1),
  allDay: true,
});

export const timedEvent = (start: number, end: number): NewEvent => ({
  start: instantText(start),
  end: instantText(end),
  allDay: false,
});
