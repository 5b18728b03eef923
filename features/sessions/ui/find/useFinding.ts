/** Opens and closes the search in a transcript, and returns the focus to where it was. */
import { useCallback, useRef, useState } from 'react';

export function useFinding() {
  const [isFinding, setFinding] = useState(false);
  const before = useRef<Element | null>(null);
  /** Returns `false` if the search has the focus: the key is the browser's own then. */
  const open = useCallback((): void | false => {
    const field = document.querySelector<HTMLInputElement>('.find-bar input');
    if (field && field === document.activeElement) return false;
    if (field) return field.select();
    before.current = document.activeElement;
    setFinding(true);
  }, []);
  const close = useCallback(() => {
    setFinding(false);
    const { current } = before;
    const isThere = current instanceof HTMLElement && current.isConnected && current !== document.body;
    (isThere ? current : document.querySelector<HTMLElement>('.transcript-scroll'))?.focus();
  }, []);
  return { isFinding, open, close };
}
