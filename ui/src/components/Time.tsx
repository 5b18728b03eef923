import { formatInstant, timeAgo, timeUntil, useNow } from '../dates';

/** Time since or until an instant, with the exact time on hover. `at` is RFC 3339; `isAhead`: it's in the future. */
export function Time({ at, isAhead = false }: { at: string; isAhead?: boolean }) {
  const now = new Date(useNow(30_000));
  const date = new Date(at);
  return (
    <time dateTime={at} title={formatInstant(at, 'full')}>
      {isAhead ? timeUntil(date, now) : timeAgo(date, now)}
    </time>
  );
}
