import { DAY_MS, dayNumber, MINUTE_MS } from '@shell/dates';
import { expect, it } from 'vitest';
import { agendaOf, blocksOf, rowsOf, turned, windowOf, WEEK } from './layout';
import { entriesOf, movedTimes, type Entry } from './model';
import { axisOf, dayOf, instantAt, instantOf, labelOf, minutesOf, missingRows, moved, rowOf, zoneOf } from './time';
import type { Calendar, Occurrence } from './types';

const BERLIN = zoneOf('Europe/Berlin')!;
const NEW_YORK = zoneOf('America/New_York')!;
const day = (date: string) => dayNumber(date)!;
const at = (date: string, minute: number, zone = BERLIN) => instantOf(day(date) * DAY_MS + minute * MINUTE_MS, zone);
const text = (instant: number) => new Date(instant).toISOString();

const CALENDAR: Calendar = {
  ...{ id: 'c1', accountId: null, name: 'Work', color: '#5b72d6', isShown: true, isWritable: true },
  ...{ kind: 'local', problem: null, syncedAt: null },
};
const event = (id: string, more: Partial<Occurrence>): Occurrence => ({
  ...{ eventId: id, occurrence: null, calendarId: 'c1', title: id, location: '', notes: '', url: null },
  ...{ start: '', end: '', allDay: false, timeZone: null, zoneUnknown: false, isRecurring: false, repeat: null },
  ...{ status: 'confirmed', organizer: null, attendees: [], myResponse: null, reminderMinutes: null, isPending: false },
  ...more,
});
const timed = (id: string, date: string, from: number, to: number) =>
  event(id, { start: text(at(date, from)), end: text(at(date, to)) });
const whole = (id: string, start: string, end: string) => event(id, { start, end, allDay: true });
const entries = (...items: Occurrence[]): Entry[] =>
  entriesOf({ items, board: [], sessions: [], truncated: false }, new Map([['c1', CALENDAR]]), new Map(), BERLIN);
const names = (all: readonly { entry: Entry }[]) => all.map(({ entry }) => entry.title);

it('begins weeks and months on the chosen day', () => {
  const march = day('2026-03-15');
  expect(windowOf('month', march, 1)).toEqual({ from: day('2026-02-23'), to: day('2026-04-06') });
  expect(windowOf('month', march, 0)).toEqual({ from: day('2026-03-01'), to: day('2026-04-05') });
  expect(windowOf('week', march, 1)).toEqual({ from: day('2026-03-09'), to: day('2026-03-16') });
  expect(windowOf('week', march, 0)).toEqual({ from: day('2026-03-15'), to: day('2026-03-22') });
  expect(turned('month', day('2026-03-31'), 1)).toBe(day('2026-04-30'));
});

it('divides an event of several days into weeks, and counts what a day hides', () => {
  const long = whole('Trip', '2026-03-06', '2026-03-11');
  const others = ['A', 'B', 'C'].map((id) => timed(id, '2026-03-09', 600, 660));
  const window = windowOf('month', day('2026-03-15'), 1);
  const rows = rowsOf(entries(long, ...others), window, WEEK, 3);
  const [first, second] = rows.filter(({ pieces }) => pieces.flat().length > 0);
  expect(first!.pieces[4]).toMatchObject([{ first: 4, last: 6, lane: 0, opens: true, closes: false }]);
  expect(second!.pieces[0]).toMatchObject([
    { first: 0, last: 1, lane: 0, opens: false, closes: true },
    { lane: 1, entry: { title: 'A' } },
  ]);
  expect(second!.more).toEqual([2, 0, 0, 0, 0, 0, 0]);
});

it('hides a bar on all its days if one of them has no room for it', () => {
  const bars = [whole('A', '2026-03-09', '2026-03-12'), whole('B', '2026-03-10', '2026-03-13')];
  const rows = rowsOf(
    entries(...bars, whole('C', '2026-03-10', '2026-03-11')),
    { from: day('2026-03-09'), to: day('2026-03-16') },
    WEEK,
    2,
  );
  expect(rows[0]!.more).toEqual([0, 2, 1, 1, 0, 0, 0]);
  expect(names(rows[0]!.pieces.flat())).toEqual(['A']);
});

it('draws overlapping events beside each other, and others over the whole width', () => {
  const days = [day('2026-03-04')];
  const all = entries(
    timed('A', '2026-03-04', 540, 660),
    timed('B', '2026-03-04', 570, 600),
    timed('C', '2026-03-04', 600, 640),
    timed('D', '2026-03-04', 660, 700),
  );
  const [blocks] = blocksOf(all, days, axisOf(days, BERLIN));
  expect(blocks!.map(({ entry, column, columns }) => [entry.title, column, columns])).toEqual([
    ['A', 0, 2],
    ['B', 1, 2],
    ['C', 1, 2],
    ['D', 0, 1],
  ]);
});

it('continues an event after midnight, and ends one at midnight on its day', () => {
  const days = [day('2026-03-04'), day('2026-03-05')];
  const axis = axisOf(days, BERLIN);
  const all = entries(timed('Night', '2026-03-04', 1380, 1500), timed('Late', '2026-03-04', 1320, 1440));
  const [first, second] = blocksOf(all, days, axis);
  expect(first!.map(({ entry, from, to, closes }) => [entry.title, from, to, closes])).toEqual([
    ['Late', 1320, 1440, true],
    ['Night', 1380, 1440, false],
  ]);
  expect(second!.map(({ entry, from, to, opens }) => [entry.title, from, to, opens])).toEqual([
    ['Night', 0, 60, false],
  ]);
});

it('draws an event without length', () => {
  const days = [day('2026-03-04')];
  const [blocks] = blocksOf(entries(timed('Now', '2026-03-04', 540, 540)), days, axisOf(days, BERLIN));
  expect(blocks).toMatchObject([{ from: 540, to: 560 }]);
});

it('leaves out the hour that clocks skip', () => {
  const spring = day('2026-03-29');
  expect(minutesOf(spring, BERLIN)).toBe(1380);
  const axis = axisOf([spring - 1, spring], BERLIN);
  expect(axis.minutes).toBe(1440);
  expect(missingRows(spring, axis)).toEqual({ from: 120, to: 180 });
  expect(missingRows(spring - 1, axis)).toBeNull();
  const days = [spring];
  const [blocks] = blocksOf(entries(timed('Early', '2026-03-29', 60, 240)), days, axis);
  expect(blocks).toMatchObject([{ from: 60, to: 240 }]);
  // A time that is skipped is the one after it.
  expect(text(instantAt(150, spring, axis))).toBe('2026-03-29T01:30:00.000Z');
});

it('has rows of its own for the hour that clocks repeat', () => {
  const autumn = day('2026-10-25');
  const days = [autumn - 1, autumn, autumn + 1];
  expect(minutesOf(autumn, BERLIN)).toBe(1500);
  const axis = axisOf(days, BERLIN);
  expect(axis).toMatchObject({ minutes: 1500, foldAt: 180, fold: 60 });
  expect([120, 180, 240].map((row) => labelOf(row, axis))).toEqual([120, 120, 180]);
  const [once, again] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(Date.parse);
  expect([once!, again!].map((instant) => rowOf(instant, autumn, axis))).toEqual([150, 210]);
  expect([150, 210].map((row) => instantAt(row, autumn, axis))).toEqual([once, again]);
  // On other days the same times are in the same rows, and the repeated hour is missing.
  expect(rowOf(at('2026-10-24', 600), autumn - 1, axis)).toBe(660);
  expect(instantAt(660, autumn + 1, axis)).toBe(at('2026-10-26', 600));
  expect(missingRows(autumn - 1, axis)).toEqual({ from: 180, to: 240 });
  expect(dayOf(at('2026-10-25', 1439), BERLIN)).toBe(autumn);
});

it('moves an event to the same time of another day, also over a change of clocks', () => {
  const start = at('2026-03-07', 540, NEW_YORK);
  expect(moved(start, 1, 0, NEW_YORK)).toBe(at('2026-03-08', 540, NEW_YORK));
  expect(moved(start, 1, 0, NEW_YORK) - start).toBe(23 * 60 * MINUTE_MS);
  const [entry] = entries(timed('Stand-up', '2026-03-28', 540, 570));
  expect(movedTimes(entry!, 1, 15, BERLIN)).toEqual({ start: '2026-03-29T07:15:00Z', end: '2026-03-29T07:45:00Z' });
  const [trip] = entries(whole('Trip', '2026-03-28', '2026-03-31'));
  expect(movedTimes(trip!, -7, 15, BERLIN)).toEqual({ start: '2026-03-21', end: '2026-03-24' });
});

it('lists an event of several days on each day of the agenda', () => {
  const all = entries(whole('Trip', '2026-03-03', '2026-03-06'), timed('A', '2026-03-04', 540, 600));
  const days = agendaOf(all, { from: day('2026-03-04'), to: day('2026-03-10') });
  expect(
    days.map(({ day: one, entries: these }) => [one - day('2026-03-04'), these.map(({ title }) => title)]),
  ).toEqual([
    [0, ['Trip', 'A']],
    [1, ['Trip']],
  ]);
});

it('leaves out hidden calendars, and draws moved events where they go', () => {
  const items = [timed('A', '2026-03-04', 540, 600), { ...timed('B', '2026-03-04', 540, 600), calendarId: 'c2' }];
  const calendars = new Map([
    ['c1', CALENDAR],
    ['c2', { ...CALENDAR, id: 'c2', isShown: false }],
  ]);
  const times = new Map([['A/', { start: '2026-03-06T10:00:00Z', end: '2026-03-06T11:00:00Z' }]]);
  const all = entriesOf({ items, board: [], sessions: [], truncated: false }, calendars, times, BERLIN);
  expect(all.map(({ title, first }) => [title, first])).toEqual([['A', day('2026-03-06')]]);
});

it('draws at most the lanes of a month, however many events it has', () => {
  const items = Array.from({ length: 10_000 }, (_, at) =>
    timed(`E${at}`, `2026-03-${10 + (at % 20)}`, at % 1400, 1410),
  );
  const rows = rowsOf(entries(...items), windowOf('month', day('2026-03-15'), 1), WEEK, 4);
  expect(rows.flatMap(({ pieces }) => pieces.flat())).toHaveLength(20 * 3);
  expect(rows.flatMap(({ more }) => more).reduce((sum, count) => sum + count, 0)).toBe(10_000 - 60);
});
