/** Puts the focus on the message field when you switch to a session or, if you don't want that, on a key. */
import { useEffect } from 'react';
import { takeFocus } from '@shell/focus';
import { useSetting } from '@shell/settings';
import { isTyping, useShortcuts } from '@shell/shortcuts';

export const focusComposer = () => document.getElementById('composer')?.focus();

/** Whether you write somewhere on the page. What lies over it, such as the palette, is about to go. */
const isWriting = () => isTyping(document.activeElement) && !document.activeElement?.closest('.scrim');

/** `isShown` is whether the session's page has its message field. */
export function useComposerFocus(isShown: boolean) {
  const isAutomatic = useSetting('sessionAutoFocusInput');
  useEffect(() => {
    const field = isShown && isAutomatic ? document.getElementById('composer') : null;
    if (!(field instanceof HTMLTextAreaElement) || isWriting()) return;
    field.setSelectionRange(field.value.length, field.value.length);
    return takeFocus(field);
  }, [isShown, isAutomatic]);
  useShortcuts(
    'Session',
    isAutomatic === false ? [{ keys: 'r', label: 'Focus the message field', run: () => focusComposer() }] : [],
  );
}
