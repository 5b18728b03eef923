/** Times that repeat on days of the week: their names, and the time zone of this page. */
import { formatDate } from './dates';

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

/** Days, Monday first. */
export const DAYS: readonly { day: Weekday; label: string; short: string }[] = [
  { day: 'mon', label: 'Monday', short: 'Mon' },
  { day: 'tue', label: 'Tuesday', short: 'Tue' },
  { day: 'wed', label: 'Wednesday', short: 'Wed' },
  { day: 'thu', label: 'Thursday', short: 'Thu' },
  { day: 'fri', label: 'Friday', short: 'Fri' },
  { day: 'sat', label: 'Saturday', short: 'Sat' },
  { day: 'sun', label: 'Sunday', short: 'Sun' },
];

/** `Weekdays`, `Mon, Wed`, or the date. */
export function daysOf({ days, date }: { days: readonly Weekday[]; date: string | null }): string {
  const key = days.join(' ');
  if (key === 'mon tue wed thu fri sat sun') return 'Every day';
  if (key === 'mon tue wed thu fri') return 'Weekdays';
  if (key === 'sat sun') return 'Weekends';
  if (days.length > 0)
    return DAYS.filter(({ day }) => days.includes(day))
      .map(({ short }) => short)
      .join(', ');
  return date ? formatDate(date) : '';
}

/** The time zone of this page. */
export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
