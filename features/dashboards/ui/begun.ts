/** What is typed of a new dashboard from the press that makes it until its page can be drawn, whatever is in view meanwhile. */
import { useSyncExternalStore } from 'react';
import type { Naming } from './DashboardName';

/** The one dashboard that is on its way. */
export interface Begun {
  /** Once the program has made it. */
  made?: { id: string; revision: number };
  name?: string;
  naming: Naming | null;
}

const NOTHING: Begun = { naming: {} };
let begun = NOTHING;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useBegun = () => useSyncExternalStore(subscribe, () => begun);

/** Whether it is this dashboard, and its page could not be drawn yet. */
export const isBegun = (id: string) => begun.made?.id === id;

export function changeBegun(change: (begun: Begun) => Begun) {
  begun = change(begun);
  for (const listener of listeners) listener();
}

/** Hands it over to whoever keeps it from here on; the next one begins anew. */
export function takeBegun(): Begun {
  const taken = begun;
  changeBegun(() => NOTHING);
  return taken;
}
