/** Values that components share outside of React's tree, such as which dialog is open over any page. */
import { useSyncExternalStore } from 'react';
import { perSignIn } from './session';

/** A shared value. It's `initial` again whenever someone else could sign in. */
export function shared<T>(initial: T) {
  let current = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = () => current;
  const set = (next: T) => {
    current = next;
    for (const listener of listeners) listener();
  };
  perSignIn(() => set(initial));
  return { get, set, use: () => useSyncExternalStore(subscribe, get) };
}
