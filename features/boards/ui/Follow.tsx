/**
 * Opens a link, email address, or phone number from a button next to the value, because clicking the value selects it.
 */
import { Icon, type IconName } from '@shell/components';
import { shownAs, type CellValue, type Column } from './data';
import './follow.css';

const SCHEMES = ['http:', 'https:', 'mailto:'];

/** Where a value leads; null where it leads nowhere that a page may send someone. */
export function leadsTo(value: CellValue, column: Column): string | null {
  const text = typeof value === 'string' ? value.trim() : '';
  switch (shownAs(column).type) {
    case 'link':
      return URL.canParse(text) && SCHEMES.includes(new URL(text).protocol) ? new URL(text).href : null;
    case 'email':
      // Nothing of an address adds a subject or a text.
      return /^[^\s@]+@[^\s@]+$/.test(text) ? `mailto:${encodeURIComponent(text).replaceAll('%40', '@')}` : null;
    case 'phone': {
      const number = text.replace(/[^\d+*#]/g, '');
      return /\d/.test(number) ? `tel:${number.replaceAll('#', '%23')}` : null;
    }
    default:
      return null;
  }
}

const ICONS: Record<string, IconName> = { email: 'mail', phone: 'phone' };

interface FollowProps {
  column: Column;
  value: CellValue;
  /** Whether Tab stops here; in a table a key of the cell does the same. */
  isTabStop?: boolean;
}

/** The link next to a value; nothing if the value has no target. */
export function Follow({ column, value, isTabStop = false }: FollowProps) {
  const href = leadsTo(value, column);
  if (href === null) return null;
  const label = `Open ${String(value)}`;
  return (
    <a
      className="follow"
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={label}
      title={isTabStop ? label : `${label} (Alt Enter)`}
      tabIndex={isTabStop ? 0 : -1}
      // The focus and the selection stay with the cell.
      onMouseDown={(event) => !isTabStop && event.preventDefault()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Icon name={ICONS[shownAs(column).type] ?? 'link'} />
    </a>
  );
}
