/** Starts a session from anywhere: the sessions' dialog opens with a message that another feature wrote. */
import { shared } from './shared';

const offered = shared('');

/** The page that opens the dialog, below /app. The message isn't in the address, so that no link can write one. */
export function offerSession(hub: string, message: string): string {
  offered.set(message);
  return `/sessions?new=${encodeURIComponent(hub)}`;
}

/** The message that was offered, once. */
export function takeOffered(): string {
  const message = offered.get();
  offered.set('');
  return message;
}
