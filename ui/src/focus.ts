import { useEffect, useRef, type RefObject } from 'react';

/**
 * Keeps the focus near what had it once that is gone: on what of `stops` stands in its place then, else on the last one of them, else
 * on what `otherwise` finds. The frame stays while what is in it comes and goes.
 */
export function useFocusKept<E extends HTMLElement>(
  stops: string,
  otherwise: (frame: E) => HTMLElement | null | undefined,
): RefObject<E | null> {
  const frame = useRef<E>(null);
  const held = useRef<{ element: Element; at: number }>(undefined);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const heldAt = (element: Element) => ({ element, at: [...current.querySelectorAll(stops)].indexOf(element) });
    const note = ({ target }: FocusEvent) => (held.current = heldAt(target as Element));
    const left = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) held.current = undefined;
    };
    const { activeElement } = document;
    // What took it as it was drawn came before this.
    if (activeElement && current.contains(activeElement)) held.current = heldAt(activeElement);
    current.addEventListener('focusin', note);
    current.addEventListener('focusout', left);
    return () => {
      current.removeEventListener('focusin', note);
      current.removeEventListener('focusout', left);
    };
  }, [stops]);
  useEffect(() => {
    const before = held.current;
    if (!before || before.element.isConnected || document.activeElement !== document.body || !frame.current) return;
    held.current = undefined;
    const now = frame.current.querySelectorAll<HTMLElement>(stops);
    (now[Math.min(Math.max(before.at, 0), now.length - 1)] ?? otherwise(frame.current))?.focus();
  });
  return frame;
}

/**
 * Gives it the focus: where a menu or a dialog lies over the page, once that is gone, before the focus goes back to what opened it.
 * Returns how to leave it.
 */
export function takeFocus(element: HTMLElement): () => void {
  const isBehind = () => element.closest('[inert]') !== null;
  const uncovered = new MutationObserver(() => {
    if (isBehind()) return;
    uncovered.disconnect();
    element.focus();
  });
  if (isBehind()) uncovered.observe(document.body, { attributes: true, attributeFilter: ['inert'], subtree: true });
  else element.focus();
  return () => uncovered.disconnect();
}
