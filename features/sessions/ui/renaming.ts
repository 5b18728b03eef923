/** The session that is being renamed from anywhere in the app. */
import { useSyncExternalStore } from 'react';
import { perSignIn } from '@shell/session';

/** A session with the title it has so far. */
export interface Renamed {
  id: string;
  title: string;
}

let current: Renamed | null = null;
const listeners = new Set<() => void>();

/** Opens the dialog for a session, or closes it. */
export function rename(session: Renamed | null) {
  current = session;
  for (const listener of listeners) listener();
}

perSignIn(() => rename(null));

/** The session whose dialog is open. */
export const useRenamed = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
