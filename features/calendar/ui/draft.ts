/** The event form's values, and what is sent of them. */
import { DAY_MS, dayNumber, dayText, isIsoDate, MINUTE_MS, weekday } from '@shell/dates';
import type { NewEvent } from './model';
import { dayOf, HERE, instantOf, instantText, minuteOf, timeText, zoneOf, type Zone } from './time';
import type { EventFields, Frequency, Occurrence, Repeat, Weekday } from './types';

export interface Draft {
  title: string;
  calendarId: string;
  allDay: boolean;
  startDate: string;
  startTime: string;
  /** Of whole days, the last one. */
  endDate: string;
  endTime: string;
  timeZone: string;
  repeat: Repeat | null;
  location: string;
  notes: string;
  reminderMinutes: number | null;
}

const FIRST_TIME = '09:00';
const LAST_TIME = '10:00';

type TimesOf = Pick<EventFields, 'start' | 'end' | 'allDay'>;

function timeFields({ start, end, allDay }: TimesOf, zone: Zone) {
  if (allDay) {
    const last = Math.max(dayNumber(start) ?? 0, (dayNumber(end) ?? 0) - 1);
    return { startDate: start, endDate: dayText(last), startTime: FIRST_TIME, endTime: LAST_TIME };
  }
  const [from, to] = [Date.parse(start), Date.parse(end)];
  return {
    startDate: dayText(dayOf(from, zone)),
    endDate: dayText(dayOf(to, zone)),
    startTime: timeText(from, zone),
    endTime: timeText(to, zone),
  };
}

export function draftOf(event: Occurrence): Draft {
  const zone = (event.timeZone && zoneOf(event.timeZone)) || HERE;
  const { title, calendarId, allDay, repeat, location, notes, reminderMinutes } = event;
  return {
    ...{ title, calendarId, allDay, repeat, location, notes, reminderMinutes },
    timeZone: zone.name,
    ...timeFields(event, zone),
  };
}

export const newDraft = (event: NewEvent, calendarId: string): Draft => ({
  ...{ title: '', calendarId, allDay: event.allDay, repeat: null, location: '', notes: '', reminderMinutes: null },
  timeZone: HERE.name,
  ...timeFields(event, HERE),
});

/** Wall time of a date and time; null while one is missing. */
function wall(date: string, time: string): number | null {
  const [day, minute] = [isIsoDate(date) ? dayNumber(date) : null, minuteOf(time)];
  return day === null || minute === null ? null : day * DAY_MS + minute * MINUTE_MS;
}

/** A draft that starts at another time: it ends as much later as it starts later. */
export function withStart(draft: Draft, changed: Partial<Pick<Draft, 'startDate' | 'startTime'>>): Draft {
  const next = { ...draft, ...changed };
  const [before, after] = [wall(draft.startDate, draft.startTime), wall(next.startDate, next.startTime)];
  const end = wall(draft.endDate, draft.endTime);
  if (before === null || after === null || end === null) return next;
  const moved = end + after - before;
  const utc: Zone = { name: 'UTC', offset: () => 0 };
  return { ...next, endDate: dayText(Math.floor(moved / DAY_MS)), endTime: timeText(moved, utc) };
}

export type Faults = Partial<Record<'title' | 'start' | 'end' | 'timeZone' | 'calendarId', string>>;

/** The times of a draft, or why there are none. */
function timesOf(draft: Draft): TimesOf | Faults {
  const { allDay, startDate, endDate } = draft;
  if (allDay) {
    const [first, last] = [dayNumber(startDate), dayNumber(endDate)];
    if (first === null) return { start: 'Enter a date.' };
    if (last === null || last < first) return { end: 'Choose the start date or a later one.' };
    return { allDay, start: startDate, end: dayText(last + 1) };
  }
  const zone = zoneOf(draft.timeZone);
  if (!zone) return { timeZone: 'Choose a time zone from the list.' };
  const [from, to] = [wall(startDate, draft.startTime), wall(endDate, draft.endTime)];
  if (from === null) return { start: 'Enter a date and a time.' };
  if (to === null) return { end: 'Enter a date and a time.' };
  const [start, end] = [instantOf(from, zone), instantOf(to, zone)];
  return end < start
    ? { end: 'Choose a time after the start.' }
    : { allDay, start: instantText(start), end: instantText(end) };
}

const isTimes = (times: TimesOf | Faults): times is TimesOf => 'allDay' in times;

export function faultsOf(draft: Draft): Faults {
  const times = timesOf(draft);
  return {
    ...(draft.title.trim() === '' ? { title: 'Enter a title.' } : {}),
    ...(draft.calendarId === '' ? { calendarId: 'Choose a calendar.' } : {}),
    ...(isTimes(times) ? {} : times),
  };
}

/** The whole event, for one that is created. */
export function bodyOf(draft: Draft): Partial<EventFields> {
  const times = timesOf(draft);
  if (!isTimes(times)) return {};
  const { calendarId, location, notes, repeat, reminderMinutes } = draft;
  return {
    calendarId,
    title: draft.title.trim(),
    ...times,
    ...(draft.allDay ? {} : { timeZone: draft.timeZone }),
    ...(location === '' ? {} : { location }),
    ...(notes === '' ? {} : { notes }),
    ...(repeat === null ? {} : { repeat }),
    ...(reminderMinutes === null ? {} : { reminderMinutes }),
  };
}

const PLAIN = ['title', 'calendarId', 'location', 'notes', 'reminderMinutes'] as const;
const TIMES = ['allDay', 'startDate', 'startTime', 'endDate', 'endTime', 'timeZone'] as const;

/** Whether the rule of a series changed. */
export const isRepeatChanged = (first: Draft, draft: Draft) =>
  JSON.stringify(first.repeat) !== JSON.stringify(draft.repeat);

/** The fields that changed. Times that weren't touched stay exactly as they are. */
export function changesOf(first: Draft, draft: Draft): Partial<EventFields> {
  const changes: Record<string, unknown> = {};
  for (const key of PLAIN) if (first[key] !== draft[key]) changes[key] = draft[key];
  if (isRepeatChanged(first, draft)) changes.repeat = draft.repeat;
  const times = timesOf(draft);
  if (isTimes(times) && TIMES.some((key) => first[key] !== draft[key]))
    Object.assign(changes, times, { timeZone: draft.allDay ? null : draft.timeZone });
  return changes;
}

// Repeats

export const WEEKDAYS: readonly { day: Weekday; label: string; short: string }[] = [
  { day: 'mon', label: 'Monday', short: 'Mon' },
  { day: 'tue', label: 'Tuesday', short: 'Tue' },
  { day: 'wed', label: 'Wednesday', short: 'Wed' },
  { day: 'thu', label: 'Thursday', short: 'Thu' },
  { day: 'fri', label: 'Friday', short: 'Fri' },
  { day: 'sat', label: 'Saturday', short: 'Sat' },
  { day: 'sun', label: 'Sunday', short: 'Sun' },
];

const WORKDAYS: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri'];

/** The weekday of a date. */
export const weekdayOf = (date: string): Weekday => WEEKDAYS[(weekday(dayNumber(date) ?? 4) + 6) % 7]!.day;

export type RepeatChoice = 'none' | Frequency | 'weekdays' | 'custom' | 'other';

/** The choice that a rule is, apart from when it ends. */
export function choiceOf(repeat: Repeat | null, startDate: string): RepeatChoice {
  if (!repeat) return 'none';
  if (repeat.other) return 'other';
  const days = repeat.days ?? [];
  if (repeat.interval !== 1) return 'custom';
  if (days.length === 0) return repeat.frequency;
  if (repeat.frequency !== 'weekly') return 'custom';
  if (days.length === 5 && WORKDAYS.every((day) => days.includes(day))) return 'weekdays';
  return days.length === 1 && days[0] === weekdayOf(startDate) ? 'weekly' : 'custom';
}

/** The rule of a choice. When it ends stays. */
export function repeatOf(choice: RepeatChoice, before: Repeat | null): Repeat | null {
  if (choice === 'none') return null;
  if (choice === 'other') return before;
  const ends = {
    ...(before?.count ? { count: before.count } : {}),
    ...(before?.until ? { until: before.until } : {}),
  };
  if (choice === 'weekdays') return { frequency: 'weekly', interval: 1, days: WORKDAYS, ...ends };
  if (choice === 'custom')
    return { frequency: before?.frequency ?? 'weekly', interval: before?.interval ?? 1, ...pickDays(before), ...ends };
  return { frequency: choice, interval: 1, ...ends };
}

const pickDays = (repeat: Repeat | null) => (repeat?.days?.length ? { days: repeat.days } : {});
