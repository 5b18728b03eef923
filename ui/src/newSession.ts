/** Starts a session from anywhere: the sessions' dialog opens with a message that another feature wrote. */
import { shared } from './shared';

const offered = shared('');
type Started = (sessionId: string) => void;
const started = shared<{ run: Started } | null>(null);

/**
 * The page that opens the dialog, below /app. The message isn't in the address, so that no link can write one.
 * `whenStarted` is called if a session is started from it.
 */
export function offerSession(hub: string, message: string, whenStarted?: Started): string {
  offered.set(message);
  started.set(whenStarted ? { run: whenStarted } : null);
  return `/sessions?new=${encodeURIComponent(hub)}`;
}

/** The message that was offered, once. */
export function takeOffered(): string {
  const message = offered.get();
  offered.set('');
  return message;
}

/** What is called when the offered session starts, once. */
export function takeWhenStarted(): Started | null {
  const taken = started.get();
  started.set(null);
  return taken?.run ?? null;
}
