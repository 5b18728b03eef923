/** Statistics on the inbox: types, the query, and durations in words. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { DAY_MS, MINUTE_MS } from '@shell/dates';

export type Stats = Schemas['InboxStats'];
export type KindStats = Stats['kinds'][number];

/** The start of the query keys. */
export const STATS = ['inbox-stats'];

/** The statistics of the last days. */
export const useStats = (days: number) =>
  useQuery({
    queryKey: [...STATS, days],
    queryFn: ({ signal }) => client.get('/analytics/inbox', { query: { days }, signal }),
    placeholderData: (before) => before,
  });

const SECONDS = { day: DAY_MS / 1_000, hour: (60 * MINUTE_MS) / 1_000, minute: MINUTE_MS / 1_000, second: 1 };
type Unit = keyof typeof SECONDS;

/** A duration in its two largest units: `2 hr 5 min`. */
export function duration(seconds: number, locale?: string): string {
  const units = Object.keys(SECONDS) as Unit[];
  const first = units.findIndex((unit) => seconds >= SECONDS[unit]);
  const shown = first < 0 ? (['second'] as const) : units.slice(first, first + 2);
  let rest = Math.floor(seconds);
  const parts = shown.map((unit) => {
    const count = Math.floor(rest / SECONDS[unit]);
    rest -= count * SECONDS[unit];
    return [unit, count] as const;
  });
  return parts
    .filter(([, count], at) => at === 0 || count > 0)
    .map(([unit, count]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count))
    .join(' ');
}
