/** What opening a dashboard needs beside its boards, got while nothing else is to do. */
import { prefetchable } from '@shell/prefetch';

export const dashboardPage = prefetchable(() => import('./DashboardPage'));

/** Loads the page, so that a new dashboard is there at the press, and for one that there is the engine, once the browser is idle; returns how to leave it. */
export function makeReady(withEngine: boolean): (() => void) | undefined {
  // Not known everywhere; there they come with the first dashboard.
  if (typeof requestIdleCallback === 'undefined') return undefined;
  const idle = requestIdleCallback(() => {
    // What fails here fails again, and says so, when a dashboard is opened.
    void dashboardPage.load().catch(() => {});
    if (withEngine) void import('./engine').then(({ startEngine }) => startEngine()).catch(() => {});
  });
  return () => cancelIdleCallback(idle);
}
