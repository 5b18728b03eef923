/** The next two events of today, below the sidebar's entry. */
import { Link } from 'wouter';
import { MINUTE_MS, dayText, useNow, useToday } from '@shell/dates';
import { useAgenda } from './api';
import { formatTime } from './time';

const SHOWN_MAX = 2;

export function Upcoming() {
  const today = useToday();
  const now = useNow(MINUTE_MS);
  const { data } = useAgenda(today);
  const next = (data ?? [])
    .filter(({ allDay, end, status, myResponse }) => {
      return !allDay && Date.parse(end) > now && status !== 'canceled' && myResponse !== 'declined';
    })
    .sort((a, b) => Date.parse(a.start) - Date.parse(b.start))
    .slice(0, SHOWN_MAX);
  if (next.length === 0) return null;
  return (
    <ul className="nav-list" aria-label="Next events today">
      {next.map(({ eventId, occurrence, start, title }) => (
        <li key={`${eventId}/${occurrence ?? ''}`}>
          <Link href={`/calendar?view=day&date=${dayText(today)}`} className="nav-link">
            <span className="nav-label">
              {formatTime(Date.parse(start))} {title || 'Untitled'}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
