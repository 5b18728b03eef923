/** What is typed of a new dashboard from the press that makes it until its page can be drawn, whatever is in view meanwhile. */
import { useSyncExternalStore } from 'react';
import type { Naming } from './DashboardName';

/** The one dashboard that is on its way. */
export interface Begun {
  /** Once the program is asked for it: where, and since when. */
  asked?: { workspaceId: string; at: string };
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

/** What a window that was closed had not handed over yet. */
export interface Left extends Pick<Begun, 'asked' | 'made'> {
  name: string;
}

const LEFT = 'pilothouse.begun-dashboard';

/** Only what can be written before the window is gone lasts: nothing that is answered later. */
function keepLeft() {
  const { asked, made, name } = begun;
  if (name) putLeft({ name, ...(asked && { asked }), ...(made && { made: { id: made.id, revision: made.revision } }) });
}

/** Leaves it to whichever window comes next. */
export function putLeft(left: Left) {
  try {
    localStorage.setItem(LEFT, JSON.stringify(left));
  } catch {
    // A browser that keeps nothing loses it with the window.
  }
}

/** What another window left, for one taker. */
export function takeLeft(): Left | null {
  try {
    const left = JSON.parse(localStorage.getItem(LEFT) ?? 'null') as Left | null;
    localStorage.removeItem(LEFT);
    return left;
  } catch {
    return null;
  }
}

addEventListener('pagehide', keepLeft);
// The window was not closed after all: it has it still.
addEventListener('pageshow', ({ persisted }) => persisted && begun.name && takeLeft());
