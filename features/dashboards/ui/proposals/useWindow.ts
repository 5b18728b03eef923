/** Says to the program that this window has a dashboard open, so that agents propose their changes instead of making them. */
import { useEffect } from 'react';
import { client } from '@shell/client';
import { useConnection } from '@shell/live';

/** Where nothing answered that says when to say it again. */
const AGAIN_MS = 30_000;

/** This window; another name with each load. */
const windowId = crypto.randomUUID();

/** Holds the dashboard open until the page leaves it. */
export function useWindow(id: string) {
  const isLive = useConnection() === 'live';
  useEffect(() => {
    if (!isLive) return;
    const path = { dashboardId: id, windowId };
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const hold = async () => {
      let again_ms = AGAIN_MS;
      try {
        ({ renewMs: again_ms } = await client.put('/dashboards/{dashboardId}/windows/{windowId}', {
          path,
          isReading: true,
        }));
      } catch {
        // Deleted, or away: the draft says so.
      }
      if (!isGone) timer = setTimeout(() => void hold(), again_ms);
    };
    const leave = () => {
      isGone = true;
      clearTimeout(timer);
      client
        .delete('/dashboards/{dashboardId}/windows/{windowId}', { path, keepalive: true, isReading: true })
        .catch(() => {});
    };
    // A page that comes back from the browser's cache is open again.
    const comeBack = () => {
      if (!isGone) return;
      isGone = false;
      void hold();
    };
    void hold();
    window.addEventListener('pagehide', leave);
    window.addEventListener('pageshow', comeBack);
    return () => {
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('pageshow', comeBack);
      leave();
    };
  }, [id, isLive]);
}
