/** Records of the calendar's API. Instants are RFC 3339 in UTC; days are `2026-03-04`, and an end is exclusive. */

export type CalendarKind = 'local' | 'caldav' | 'subscription';

export interface Calendar {
  id: string;
  accountId: string | null;
  name: string;
  /** `#rrggbb`. */
  color: string;
  isShown: boolean;
  isWritable: boolean;
  kind: CalendarKind;
  problem: string | null;
  syncedAt: string | null;
}

export interface Account {
  id: string;
  url: string;
  username: string;
}

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';
export type Frequency = 'daily' | 'weekly' | 'monthly' | 'yearly';

export interface Repeat {
  frequency: Frequency;
  interval: number;
  days?: Weekday[] | null;
  count?: number | null;
  until?: string | null;
  /** In words, a rule that the form can't show. */
  other?: string | null;
}

export type Response = 'accepted' | 'declined' | 'tentative' | 'needsAction';
export type Reply = Exclude<Response, 'needsAction'>;

/** One event of the range; one of a series if `occurrence` names it. */
export interface Occurrence {
  eventId: string;
  occurrence: string | null;
  calendarId: string;
  title: string;
  location: string;
  notes: string;
  url: string | null;
  start: string;
  end: string;
  allDay: boolean;
  timeZone: string | null;
  zoneUnknown: boolean;
  isRecurring: boolean;
  repeat: Repeat | null;
  status: 'confirmed' | 'tentative' | 'canceled';
  organizer: string | null;
  attendees: { name: string; email: string; response: Response }[];
  myResponse: Response | null;
  reminderMinutes: number | null;
  /** Not sent to the calendar's server yet. */
  isPending: boolean;
}

export interface BoardEntry {
  boardId: string;
  itemId: string;
  board: string;
  title: string;
  kind: 'due' | 'sprint';
  start: string;
  end: string;
  color: string;
  columnId: string;
}

export interface SessionEntry {
  sessionId: string;
  title: string;
  start: string;
  end: string;
}

export interface EventList {
  items: Occurrence[];
  board: BoardEntry[];
  sessions: SessionEntry[];
  /** There are more than the program returns. */
  truncated: boolean;
}

/** Which events of a series a change is for. */
export type Scope = 'this' | 'following' | 'all';

/** Fields of an event that can be set. */
export interface EventFields {
  calendarId: string;
  title: string;
  start: string;
  end: string;
  allDay: boolean;
  timeZone: string | null;
  location: string;
  notes: string;
  repeat: Repeat | null;
  reminderMinutes: number | null;
}
