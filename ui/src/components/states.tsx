import type { ReactNode } from 'react';
import { ApiError, reasonOf } from '../api';
import { useConnection } from '../live';
import { Button } from './Button';
import { Icon, type IconName } from './Icon';

/** An empty page's explanation: an icon, one sentence, one button. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="state">
      <span className="state-icon">
        <Icon name={icon} size={24} />
      </span>
      <p className="state-title">{title}</p>
      {children && <p className="state-text">{children}</p>}
      {action}
    </div>
  );
}

/** An error: what happened, and the next step (retry, or `action`). */
export function ErrorState({
  title,
  error,
  onRetry,
  action,
}: {
  title: string;
  error: unknown;
  onRetry?: () => void;
  action?: ReactNode;
}) {
  return (
    <div className="state" role="alert">
      <span className="state-icon state-bad">
        <Icon name="warning" size={24} />
      </span>
      <p className="state-title">{title}</p>
      <p className="state-text">{reasonOf(error)}</p>
      {error instanceof ApiError && error.code !== 'unknown' && <code className="state-code">{error.code}</code>}
      {onRetry && (
        <Button icon="restart" onPress={onRetry}>
          Try again
        </Button>
      )}
      {action}
    </div>
  );
}

/**
 * Shown until a page has its data, and while Pilothouse is unreachable. Hidden at first, so that quick responses don't
 * flash.
 */
export function Loading({ label = 'Loading' }: { label?: string }) {
  const isLost = useConnection() === 'lost';
  return (
    <div className="loading" role="status">
      <span className="loading-bar" aria-hidden="true" />
      <span className="sr-only">{label}</span>
      {isLost && <span className="loading-why">Can't reach Pilothouse. Reconnecting...</span>}
    </div>
  );
}

/** Shown if a page has no data because Pilothouse is unreachable. `what` names the data. */
export const NoAnswer = ({ what }: { what: string }) => (
  <div role="status">
    <EmptyState icon="warning" title="Can't reach Pilothouse">
      {`The ${what} loads once it's back.`}
    </EmptyState>
  </div>
);

/** A state in one or two words. `tone` is never the only indication. */
export function Badge({
  tone = 'neutral',
  icon,
  children,
}: {
  tone?: 'neutral' | 'accent' | 'good' | 'warn' | 'bad';
  icon?: IconName;
  children: ReactNode;
}) {
  return (
    <span className={`badge badge-${tone}`}>
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

/** Holds text for screen readers only. */
export const ScreenReaderOnly = ({ children }: { children: ReactNode }) => <span className="sr-only">{children}</span>;
