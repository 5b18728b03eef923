/** Moves the focus to what is drawn next: a day, or an entry that has moved. */
import { useEffect, useRef, type RefObject } from 'react';

export interface Wanted {
  day: number;
  /** An entry; if it isn't drawn, its day gets the focus. */
  key?: string;
}

/** A wanted focus stays until what it names is drawn. */
export function useWanted(frame: RefObject<HTMLElement | null>): RefObject<Wanted | null> {
  const wanted = useRef<Wanted | null>(null);
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
  return wanted;
}
