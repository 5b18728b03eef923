import { ScreenReaderOnly } from '@shell/components';
import { useCount } from './data';
import './badge.css';

/** The number of unread rows, beside the sidebar's entry. */
export function InboxBadge() {
  const { data: count } = useCount();
  if (!count?.unread) return null;
  return (
    <span
      className="inbox-badge"
      data-waits={count.waiting > 0 || undefined}
      title={count.waiting > 0 ? `${count.waiting} need your answer` : undefined}
    >
      {count.unread.toLocaleString()}
      <ScreenReaderOnly>{` unread${count.waiting > 0 ? `, ${count.waiting} need your answer` : ''}`}</ScreenReaderOnly>
    </span>
  );
}
