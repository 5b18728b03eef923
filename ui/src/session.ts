/**
 * Who this page speaks for. The program's one-time login address carries a code after the `#`, which never leaves the
 * browser in a request line; the page exchanges it for the owner's token and keeps that in memory and in this tab's
 * session storage. The token is sent in the Authorization header only: never in an address, never in a cookie.
 */
import { useSyncExternalStore } from 'react';
import type { Schemas } from './client';

/** State of the sign-in: exchanging the code, having a token, or neither. */
export type SessionState =
  | { kind: 'signing-in' }
  | { kind: 'signed-in' }
  | { kind: 'signed-out'; reason: 'no-code' | 'code-refused' | 'token-refused' | 'unreachable' };

const STORAGE_KEY = 'pilothouse.token';
const listeners = new Set<() => void>();
const clears = new Set<() => void>();

let token: string | null = readStored();
let state: SessionState = token ? { kind: 'signed-in' } : { kind: 'signed-out', reason: 'no-code' };

function readStored(): string | null {
  try {
    return sessionStorage.getItem(STORAGE_KEY);
  } catch {
    return null; // Storage may be switched off; the token then lives as long as the page.
  }
}

/** Calls `clear` whenever someone else could sign in, to remove what the previous user saw or typed. */
export const perSignIn = (clear: () => void) => void clears.add(clear);

function become(next: SessionState, newToken: string | null) {
  token = newToken;
  state = next;
  try {
    if (newToken) sessionStorage.setItem(STORAGE_KEY, newToken);
    else sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // As above.
  }
  for (const clear of clears) clear();
  for (const listener of listeners) listener();
}

/** The token to send, or null. */
export const currentToken = () => token;

/** Removes a rejected token, unless it was replaced since then. */
export function tokenRefused(refused: string) {
  if (token === refused) become({ kind: 'signed-out', reason: 'token-refused' }, null);
}

/** Exchanges the code in the address, if there is one, and removes it from the address and the history at once. */
export async function signInFromAddress(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('c');
  if (!code) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  become({ kind: 'signing-in' }, null);
  try {
    const response = await fetch('/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (!response.ok) return become({ kind: 'signed-out', reason: 'code-refused' }, null);
    const answer = (await response.json()) as Schemas['LoggedIn'];
    become({ kind: 'signed-in' }, answer.token);
  } catch {
    become({ kind: 'signed-out', reason: 'unreachable' }, null);
  }
}

/** The state, for components. */
export const useSession = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
