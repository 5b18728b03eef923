import { useEffect, useState } from 'react';

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.35],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
];

/** `5 minutes ago`, in the person's language. */
export function relative(at: Date, now: Date, locale?: string): string {
  let amount = (at.getTime() - now.getTime()) / 1000;
  if (Math.abs(amount) < 10) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second');
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size)
      return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(amount), unit);
    amount /= size;
  }
  return '';
}

const DAY_MS = 86_400_000;

/** How long it is until something, in days and never in weeks: that is how a time limit is stated. */
export function until(at: Date, now: Date, locale?: string): string {
  const ms = at.getTime() - now.getTime();
  return ms < DAY_MS
    ? relative(at, now, locale)
    : new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(Math.round(ms / DAY_MS), 'day');
}

/** How long ago something was: never in the future, however far the server's clock is ahead. */
export function ago(at: Date, now: Date, locale?: string): string {
  return now.getTime() - at.getTime() < JUST_NOW_MS ? 'just now' : relative(at, now, locale);
}

const JUST_NOW_MS = 10_000;

/** How long ago, with the exact time on hover. `at` is RFC 3339; `isAhead`: it is still to come. */
export function Time({ at, isAhead = false }: { at: string; isAhead?: boolean }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 30_000);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'medium' })}>
      {isAhead ? until(date, now) : ago(date, now)}
    </time>
  );
}
