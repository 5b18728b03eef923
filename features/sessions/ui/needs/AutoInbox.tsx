/** Opens the inbox when another session needs you while you do nothing (the setting autoSwitchToInbox). */
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useSetting } from '@shell/settings';
import { useNeeds } from './data';

/** How long nothing must have been pressed or moved. */
const IDLE_MS = 5_000;
const INPUTS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

/** Pages that show what needs you already. */
const PAGES = ['/inbox', '/waiting'];

export function AutoInbox() {
  return useSetting('autoSwitchToInbox') ? <Switching /> : null;
}

function Switching() {
  const { data: needs } = useNeeds();
  const [location, navigate] = useLocation();
  const lastInput = useRef(0);
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const note = () => {
      lastInput.current = Date.now();
    };
    // Turning the setting on was input too.
    note();
    for (const name of INPUTS) window.addEventListener(name, note, { capture: true, passive: true });
    return () => {
      for (const name of INPUTS) window.removeEventListener(name, note, { capture: true });
    };
  }, []);
  useEffect(() => {
    if (!needs) return;
    const before = known.current;
    known.current = new Set(needs.map(({ id }) => id));
    // What needed you before isn't news.
    const isNews = before && needs.some((need) => !before.has(need.id) && location !== `/sessions/${need.sessionId}`);
    if (!isNews || PAGES.includes(location) || isBusy() || Date.now() - lastInput.current < IDLE_MS) return;
    navigate('/inbox');
  }, [needs, location, navigate]);
  return null;
}

/** Whether leaving the page would interrupt you: the composer has text, or a dialog is open. */
function isBusy(): boolean {
  const composer = document.getElementById('composer');
  const isWriting = composer instanceof HTMLTextAreaElement && composer.value.trim() !== '';
  return isWriting || document.querySelector('[role="dialog"]') !== null;
}
