/** Tells Pilothouse whether this window is in front, and shows notifications in it while it is. */
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { client } from '@shell/client';
import { toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';

/** Half of what a report counts for. */
const RENEW_MS = 15_000;

export function Listener() {
  useEffect(() => {
    const windowId = crypto.randomUUID();
    const report = () => {
      // What fails is reported again soon; until then this window counts as before.
      void client.post('/presence', { body: { windowId, isInFront: document.hasFocus() } }).catch(() => {});
    };
    report();
    const timer = setInterval(report, RENEW_MS);
    for (const event of ['focus', 'blur']) window.addEventListener(event, report);
    document.addEventListener('visibilitychange', report);
    return () => {
      clearInterval(timer);
      for (const event of ['focus', 'blur']) window.removeEventListener(event, report);
      document.removeEventListener('visibilitychange', report);
    };
  }, []);
  const [location, navigate] = useLocation();
  useLiveEvent<{ title: string; link: string | null }>('notification-shown', ({ title, link }) => {
    const page = link?.startsWith('/app/') ? link.slice('/app'.length) : '/inbox';
    // The page itself shows it already.
    if (!document.hasFocus() || page.split('?')[0] === location) return;
    toast.done(title, { action: { label: 'Open', run: () => navigate(page) } });
  });
  return null;
}
