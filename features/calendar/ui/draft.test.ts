import { expect, it } from 'vitest';
import { bodyOf, changesOf, choiceOf, draftOf, faultsOf, newDraft, repeatOf, withStart } from './draft';
import { zoneOf } from './time';
import type { Occurrence } from './types';

const EVENT: Occurrence = {
  ...{ eventId: 'e1', occurrence: null, calendarId: 'c1', title: 'Call', location: '', notes: '', url: null },
  ...{ start: '2026-03-04T14:00:30Z', end: '2026-03-04T15:00:00Z', allDay: false, timeZone: 'America/New_York' },
  ...{ zoneUnknown: false, isRecurring: false, repeat: null, status: 'confirmed', organizer: null, attendees: [] },
  ...{ myResponse: null, reminderMinutes: null, isPending: false },
};

it("shows an event's times in its zone, and leaves times that weren't touched", () => {
  const draft = draftOf(EVENT);
  expect(draft).toMatchObject({ startDate: '2026-03-04', startTime: '09:00', endTime: '10:00' });
  expect(changesOf(draft, { ...draft, title: 'Talk' })).toEqual({ title: 'Talk' });
  expect(changesOf(draft, { ...draft, timeZone: 'Europe/Berlin' })).toEqual({
    ...{ start: '2026-03-04T08:00:00Z', end: '2026-03-04T09:00:00Z' },
    ...{ allDay: false, timeZone: 'Europe/Berlin' },
  });
});

it('ends as much later as it starts later', () => {
  const moved = withStart({ ...draftOf(EVENT), endTime: '23:30' }, { startTime: '10:00' });
  expect(moved).toMatchObject({ endDate: '2026-03-05', endTime: '00:30' });
});

it('includes the last day of whole days, and says what is missing', () => {
  const draft = newDraft({ start: '2026-03-04', end: '2026-03-05', allDay: true }, 'c1');
  expect(draft).toMatchObject({ startDate: '2026-03-04', endDate: '2026-03-04' });
  expect(bodyOf({ ...draft, title: ' Trip ', endDate: '2026-03-06' })).toEqual({
    ...{ calendarId: 'c1', title: 'Trip', allDay: true, start: '2026-03-04', end: '2026-03-07' },
  });
  expect(Object.keys(faultsOf({ ...draft, endDate: '2026-03-03', calendarId: '' }))).toEqual([
    ...['title', 'calendarId', 'end'],
  ]);
  expect(faultsOf({ ...draft, title: 'A', allDay: false, timeZone: 'Mars' })).toHaveProperty('timeZone');
});

it('knows the rules of the form', () => {
  const wednesday = '2026-03-04';
  expect(choiceOf(null, wednesday)).toBe('none');
  expect(choiceOf({ frequency: 'weekly', interval: 1, days: ['wed'] }, wednesday)).toBe('weekly');
  expect(choiceOf({ frequency: 'weekly', interval: 1, days: ['mon', 'wed'] }, wednesday)).toBe('custom');
  expect(choiceOf({ frequency: 'daily', interval: 2 }, wednesday)).toBe('custom');
  expect(choiceOf({ frequency: 'monthly', interval: 1, other: 'Last Friday' }, wednesday)).toBe('other');
  const weekdays = repeatOf('weekdays', { frequency: 'daily', interval: 1, count: 5 });
  expect(weekdays).toEqual({ frequency: 'weekly', interval: 1, days: ['mon', 'tue', 'wed', 'thu', 'fri'], count: 5 });
  expect(choiceOf(weekdays, wednesday)).toBe('weekdays');
});

it('knows no zone that the browser does not know', () => expect(zoneOf('Mars/Olympus')).toBeNull());
