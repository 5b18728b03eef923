/** Reports how long an inbox row is open on the page, for the statistics on the inbox. */
import { useEffect } from 'react';
import { client } from './client';
import { useSetting } from './settings';

/** The most that one look counts for: a row left open isn't being read. */
const LOOK_MS_MAX = 10 * 60_000;

/** Called by what shows an open row. Nothing is reported while the statistics are off. */
export function useRowTime(rowId: string | null) {
  const isOn = useSetting('inboxAnalyticsEnabled') === true;
  useEffect(() => {
    if (rowId === null || !isOn) return;
    const since = Date.now();
    return () => {
      const seconds = Math.round(Math.min(LOOK_MS_MAX, Date.now() - since) / 1_000);
      // A report that fails is left out: the sum is only an estimate.
      if (seconds > 0)
        void client.post('/analytics/rows/{rowId}/time', { path: { rowId }, body: { seconds } }).catch(() => {});
    };
  }, [rowId, isOn]);
}
