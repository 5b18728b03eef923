import { describe, expect, it, vi } from 'vitest';
import {
  addMonths,
  cellSpan,
  dayName,
  dayNames,
  dayNumber,
  dayText,
  elapsedTime,
  engineClock,
  formatDate,
  formatDateRange,
  formatInstant,
  isIsoDate,
  localDay,
  localeOrder,
  monthName,
  parseDate,
  relativeTime,
  startOfMonth,
  startOfWeek,
  timeAgo,
  timeUntil,
  weekday,
} from './dates';

const now = new Date('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

it('never says that something was in the future', () => {
  expect([-3, 0, 27, 4000].map((seconds) => timeAgo(at(seconds), now))).toEqual([
    'just now',
    'just now',
    'just now',
    'just now',
  ]);
  expect(timeAgo(at(-300), now, 'en')).toBe('5 minutes ago');
});

it('says when something is to come', () => {
  expect(relativeTime(at(2 * 86_400), now, 'en')).toBe('in 2 days');
});

it('says in days when a time limit ends', () => {
  const days = (count: number) => timeUntil(at(count * 86_400), now, 'en');
  expect([days(30), days(29.99), days(1), days(0.5)]).toEqual(['in 30 days', 'in 30 days', 'in 1 day', 'in 12 hours']);
});

it('gives elapsed time in its largest whole unit', () => {
  const at = Date.parse('2026-01-02T03:04:05Z');
  expect(elapsedTime('2026-01-02T03:04:05Z', at + 185_000, 'en')).toBe('3 min');
  expect(elapsedTime('2026-01-02T03:04:05Z', at - 5_000, 'en')).toBe('0 sec');
});

it('formats instants and days, and returns other texts as they are', () => {
  expect(formatInstant('2026-03-04T05:06:07Z')).toMatch(/2026/);
  expect(formatInstant(Date.parse('2026-03-04T05:06:07Z'), 'full')).toMatch(/2026/);
  expect(formatInstant('soon')).toBe('soon');
  expect(formatDate('2026-03-04')).toMatch(/4.*2026/);
  expect(formatDate('soon')).toBe('soon');
  expect(formatDateRange('2026-03-04', '2026-03-09')).toMatch(/4.*9.*2026/);
  expect(formatDateRange('soon', '2026-03-09')).toBe('soon – 2026-03-09');
  expect(monthName('2026-03-01', '2026-03')).toMatch(/2026/);
  expect([isIsoDate('2026-03-04'), isIsoDate('2026-3-4'), isIsoDate('2026-13-01')]).toEqual([true, false, false]);
});

it('has weeks that start on Monday in the engine unless Sunday is set', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const clock = { now: now.getTime(), utcOffsetMinutes: -now.getTimezoneOffset() };
  expect(engineClock(now, 'sunday')).toEqual({ ...clock, weekStart: 6 });
  expect(engineClock(now, 'monday')).toEqual({ ...clock, weekStart: 0 });
  expect(engineClock(now, undefined)).toEqual({ ...clock, weekStart: 0 });
});

const day = (text: string) => dayNumber(text)!;

describe('days', () => {
  it('go to numbers and back', () => {
    expect(dayText(day('2026-03-04'))).toBe('2026-03-04');
    expect(day('1970-01-02')).toBe(1);
    expect(dayText(day('1969-12-31'))).toBe('1969-12-31');
    for (const wrong of ['', 'soon', '2026-13-01', null, 7]) expect(dayNumber(wrong)).toBeNull();
    expect(dayText(localDay(new Date(2026, 2, 4, 23, 59)))).toBe('2026-03-04');
  });

  it('have weeks that begin on Sunday or Monday', () => {
    expect(weekday(day('2026-03-04'))).toBe(3);
    expect(dayText(startOfWeek(day('2026-03-04'), 1))).toBe('2026-03-02');
    expect(dayText(startOfWeek(day('2026-03-01'), 1))).toBe('2026-02-23');
    expect(dayText(startOfWeek(day('2026-03-01'), 0))).toBe('2026-03-01');
    expect(weekday(day('1960-01-01'))).toBe(5);
  });

  it('have months of their own length', () => {
    expect(dayText(startOfMonth(day('2026-03-31')))).toBe('2026-03-01');
    expect(dayText(addMonths(day('2026-03-31'), -1))).toBe('2026-02-28');
    expect(dayText(addMonths(day('2028-01-31'), 1))).toBe('2028-02-29');
    expect(dayText(addMonths(day('2026-12-15'), 1))).toBe('2027-01-15');
  });

  it('are read from dates and from timelines, in either order', () => {
    expect(cellSpan('2026-03-04')).toEqual({ from: day('2026-03-04'), to: day('2026-03-04') });
    expect(cellSpan({ from: '2026-03-09', to: '2026-03-04' })).toEqual({
      from: day('2026-03-04'),
      to: day('2026-03-09'),
    });
    for (const none of [null, [], {}, 'soon']) expect(cellSpan(none)).toBeNull();
  });
});

it('takes what an import takes, and what is said of days nearby', () => {
  const written: [string, string | null][] = [
    ['24. Dezember 2026', '2026-12-24'],
    ['8 November 2026', '2026-11-08'],
    ['Nov 7, 2026', '2026-11-07'],
    ['Sat, Nov 7th, 2026', '2026-11-07'],
    ['1 Mar 26', '2026-03-01'],
    ['07-Nov-2026', '2026-11-07'],
    ['3.11.2026', '2026-11-03'],
    ['08.11.26', '2026-11-08'],
    ['2026/11/08', '2026-11-08'],
    ['2026-11-08T10:30:00Z', '2026-11-08'],
    ['24.12.', '2026-12-24'],
    ['today', '2026-11-22'],
    ['Tomorrow', '2026-11-23'],
    ['yesterday', '2026-11-21'],
    ['morgen', '2026-11-23'],
    ['soon', null],
    ['30.2.2026', null],
    ['Nonsense 7, 2026', null],
    ['May 2026', null],
  ];
  for (const [text, read] of written)
    expect([text, parseDate(text, 'month', new Date(2026, 10, 22, 12), 'de-DE')]).toEqual([text, read]);
});

it("puts first what the browser's locale does", () => {
  expect(['en-US', 'en-GB', 'de-DE', 'fr-FR'].map((locale) => localeOrder(locale))).toEqual([
    'month',
    'day',
    'day',
    'day',
  ]);
});

it('creates one format for many days', () => {
  dayName('2026-01-31');
  const slow = vi.spyOn(Date.prototype, 'toLocaleDateString');
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  for (let day = 1; day <= 28; day++)
    expect(dayName(`2026-02-${String(day).padStart(2, '0')}`)).toMatch(new RegExp(`${day}`));
  expect([slow.mock.calls.length, made.mock.calls.length]).toEqual([0, 0]);
  vi.restoreAllMocks();
});

it('writes whatever a day may be, and leaves what is none as it is', () => {
  const years = [
    '-271821',
    '-000001',
    '0000',
    '0050',
    '2026',
    '9999',
    '10000',
    '+010000',
    '+275760',
    '+275761',
    '99999999',
  ];
  const days = years.flatMap((year) => ['01-01', '02-30', '12-31', '13-01', '00-00'].map((rest) => `${year}-${rest}`));
  for (const one of [...days, '', '-', 'soon', '2026', '2026-03-04T05:06', 'NaN', '∞']) {
    for (const written of [dayName(one), ...dayNames([one]), ...dayNames([one, '2026-03-04'])])
      expect(written).not.toMatch(/invalid|NaN-/i);
    if (Number.isNaN(Date.parse(`${one}T00:00:00Z`)))
      expect([dayName(one), dayNames([one, '2026-03-04'])[0]]).toEqual([one, one]);
  }
  expect(dayName('10000-01-01')).toBe('10000-01-01');
  expect(dayNames(['2026-03-04', '2027-03-04']).map((one) => /202\d/.test(one))).toEqual([true, true]);
});
