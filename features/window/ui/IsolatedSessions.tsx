/** Opens sessions in windows with a renderer of their own, while isolatedSessionViewEnabled is on. */
import { useEffect } from 'react';
import { client } from '@shell/client';
import { toast } from '@shell/components';
import { useSetting } from '@shell/settings';
import { isInWindow } from './data';

/** Links to a session; a link to a message in it goes to its place in the page. */
const SESSION = /^\/app\/sessions\/([0-9a-z-]+)$/;

export function IsolatedSessions() {
  const isOn = useSetting('isolatedSessionViewEnabled');
  useEffect(() => {
    // A window of one session shows it itself.
    if (!isOn || !isInWindow() || SESSION.test(location.pathname)) return undefined;
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const sessionId = link && SESSION.exec(new URL(link.href, location.href).pathname)?.[1];
      if (!sessionId || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      client.post('/window/session', { body: { sessionId } }).catch((failure: unknown) => {
        toast.problem("Couldn't open session in a window", failure);
      });
    };
    document.addEventListener('click', follow, true);
    return () => document.removeEventListener('click', follow, true);
  }, [isOn]);
  return null;
}
