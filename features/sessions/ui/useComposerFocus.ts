/** Puts the focus on the message field when you switch to a session or, if you don't want that, on a key. */
import { useEffect } from 'react';
import { takeFocus } from '@shell/focus';
import { useSetting } from '@shell/settings';
import { isTyping, useShortcuts } from '@shell/shortcuts';

export const focusComposer = () => document.getElementById('composer')?.focus();

/** Whether you are at something else: in another field, or already in the session. What lies over the page is about to go. */
function isElsewhere(): boolean {
  const active = document.activeElement;
  if (!active || active.closest('.scrim')) return false;
  return isTyping(active) || active.closest('.session') !== null;
}

/** `isShown` is whether the session's page has its message field. */
export function useComposerFocus(isShown: boolean) {
  const isAutomatic = useSetting('sessionAutoFocusInput');
  useEffect(() => {
    const field = isShown && isAutomatic ? document.getElementById('composer') : null;
    if (!(field instanceof HTMLTextAreaElement) || isElsewhere()) return;
    field.setSelectionRange(field.value.length, field.value.length);
    return takeFocus(field);
  }, [isShown, isAutomatic]);
  useShortcuts(
    'Session',
    isAutomatic === false ? [{ keys: 'r', label: 'Focus the message field', run: () => focusComposer() }] : [],
  );
}
