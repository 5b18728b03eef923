/** Counts the time for which you watch a running session, and hints once a day that it doesn't need you. */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { client } from '@shell/client';
import { toast } from '@shell/components';
import { isoDate } from '@shell/dates';
import { usePreference } from '@shell/preferences';
import { useSetting } from '@shell/settings';

/** Time of continuous watching after which the hint appears. */
const HINT_AFTER_MS = 10 * 60_000;
/** How often watching time is reported. Time in which the computer slept isn't. */
const REPORT_MS = 60_000;

const RUNNING = new Set(['running', 'retrying', 'compacting']);

/** Whether this page is what you look at. */
const isInFront = () => !document.hidden && document.hasFocus();

function subscribe(listener: () => void) {
  for (const event of ['focus', 'blur']) window.addEventListener(event, listener);
  document.addEventListener('visibilitychange', listener);
  return () => {
    for (const event of ['focus', 'blur']) window.removeEventListener(event, listener);
    document.removeEventListener('visibilitychange', listener);
  };
}

export function useWatching(id: string, state: string | undefined) {
  const isWatched = useSyncExternalStore(subscribe, isInFront) && state !== undefined && RUNNING.has(state);
  useReports(id, isWatched);
  useHint(id, isWatched);
}

/** Reports watching time, of which the recap is made. */
function useReports(id: string, isWatched: boolean) {
  const hints = useSetting('helpfulHintsEnabled');
  const recap = useSetting('watchingTimeRecapCardEnabled');
  const isOn = isWatched && hints === true && recap === true;
  useEffect(() => {
    if (!isOn) return;
    let since = Date.now();
    const report = () => {
      const seconds = Math.round(Math.min(REPORT_MS, Date.now() - since) / 1_000);
      since = Date.now();
      // A report that fails is left out: the sum is only an estimate.
      if (seconds > 0) void client.post('/analytics/watching', { body: { seconds } }).catch(() => {});
    };
    const timer = setInterval(report, REPORT_MS);
    return () => {
      clearInterval(timer);
      report();
    };
  }, [id, isOn]);
}

/** Shows the hint, at most once a day. */
function useHint(id: string, isWatched: boolean) {
  const hints = useSetting('helpfulHintsEnabled');
  const nudge = useSetting('watchingRunningAgentNudgeEnabled');
  const [, navigate] = useLocation();
  const [shownOn, setShownOn] = usePreference('hint.watching');
  const isOn = isWatched && hints === true && nudge === true;
  const show = useRef(() => {});
  useEffect(() => {
    show.current = () => {
      const now = new Date();
      const today = isoDate(now.getTime() - now.getTimezoneOffset() * 60_000);
      if (shownOn === today) return;
      setShownOn(today);
      toast.done("The agent doesn't need you while it works", {
        detail: 'The waiting room opens the next session that does.',
        action: { label: 'Waiting room', run: () => navigate('/waiting') },
        kind: 'hint',
      });
    };
  });
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => show.current(), HINT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [id, isOn]);
}
