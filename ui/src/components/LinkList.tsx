import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './Icon';
import { Time } from './Time';

/** A row of a list of boards, dashboards, and the like: name, a few counts, and time of change. */
export interface LinkRowProps {
  href: string;
  icon: IconName;
  name: string;
  details?: readonly string[];
  /** RFC 3339. */
  changedAt: string;
}

/** A list whose rows are links. */
export const LinkList = ({ children }: { children: ReactNode }) => <ul className="link-list">{children}</ul>;

/** One row of a `LinkList`. */
export function LinkRow({ href, icon, name, details = [], changedAt }: LinkRowProps) {
  return (
    <li>
      <Link href={href} className="link-row">
        <Icon name={icon} />
        <span className="link-row-name">{name}</span>
        {details.map((detail) => (
          <span key={detail} className="link-row-detail">
            {detail}
          </span>
        ))}
        <span className="link-row-time">
          <Time at={changedAt} />
        </span>
      </Link>
    </li>
  );
}
