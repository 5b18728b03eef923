import { ScreenReaderOnly } from '@shell/components';
import { useCount } from './data';
import './badge.css';

/** The number of rows that need you, the same as in the queue; a dot if there are only unread ones. */
export function InboxBadge() {
  const { data: count } = useCount();
  if (!count) return null;
  const needs = count.needsYou === 1 ? 'needs you' : 'need you';
  if (count.needsYou > 0)
    return (
      <span className="inbox-badge" title={`${count.needsYou} ${needs}`}>
        {count.needsYou.toLocaleString()}
        <ScreenReaderOnly>{` ${needs}`}</ScreenReaderOnly>
      </span>
    );
  if (count.unread === 0) return null;
  return (
    <span className="inbox-dot" title={`${count.unread} unread`}>
      <ScreenReaderOnly>{`${count.unread} unread`}</ScreenReaderOnly>
    </span>
  );
}
