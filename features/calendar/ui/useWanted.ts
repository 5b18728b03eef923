/** Moves the focus to what is drawn next: a day, or an entry that has moved. */
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

export interface Wanted {
  day: number;
  /** An entry; if it isn't drawn, its day gets the focus. */
  key?: string;
}

/** Sets what gets the focus; it's kept until that is drawn. */
export function useWanted(frame: RefObject<HTMLElement | null>): (next: Wanted | null) => void {
  const wanted = useRef<Wanted | null>(null);
  const [, drawAgain] = useState(0);
  useEffect(() => {
    const { current } = wanted;
    const here = frame.current;
    if (!current || !here || document.querySelector('.scrim:not([data-exiting])')) return;
    const entry =
      current.key === undefined
        ? null
        : here.querySelector<HTMLElement>(`[data-key="${CSS.escape(current.key)}"][data-from="${current.day}"]`);
    const target = entry ?? here.querySelector<HTMLElement>(`[data-focus="${current.day}"]`);
    if (!target) return;
    wanted.current = null;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  return useCallback((next) => {
    wanted.current = next;
    drawAgain((count) => count + 1);
  }, []);
}
