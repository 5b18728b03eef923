/** Highlights the matches of the drawn rows, and scrolls to the current one. */
import { useEffect, useRef, type RefObject } from 'react';
import { boxOf, highlight, rangesIn, scrollWithin } from './ranges';
import type { Match } from './useFind';

/** Number of frames without movement after which the match counts as reached, and after which it's given up. */
const CALM_FRAMES = 5;
const FRAMES_MAX = 180;

interface Options {
  scroller: RefObject<HTMLElement | null>;
  pattern: RegExp | null;
  target: Match | null;
  /** Scrolls to a row that isn't drawn. */
  toRow: (key: string) => void;
  /** Scrolls the transcript by so many pixels. */
  by: (pixels: number) => void;
}

const rowWith = (box: Element, key: string) =>
  [...box.querySelectorAll('.transcript-row')].find((row) => row.getAttribute('data-key') === key);

/** The current match in the document; its row if it isn't drawn there yet. */
function matchIn(row: Element, pattern: RegExp, nth: number): Range | null {
  const ranges = rangesIn(row, pattern);
  return ranges[nth] ?? ranges.at(-1) ?? null;
}

export function useShowMatch({ scroller, pattern, target, toRow, by }: Options) {
  useEffect(() => {
    const box = scroller.current;
    if (!box || !pattern) return;
    let frame = 0;
    const paint = () => {
      frame = 0;
      const row = target ? rowWith(box, target.key) : undefined;
      const current = row && target ? matchIn(row, pattern, target.nth) : null;
      const rows = [...box.querySelectorAll('.transcript-row')];
      highlight(
        rows.flatMap((one) => rangesIn(one, pattern)),
        current,
      );
    };
    paint();
    // Rows are drawn as you scroll, and texts grow.
    const watch = new MutationObserver(() => (frame ||= requestAnimationFrame(paint)));
    watch.observe(box, { childList: true, characterData: true, subtree: true });
    return () => {
      watch.disconnect();
      cancelAnimationFrame(frame);
      highlight([], null);
    };
  }, [scroller, pattern, target]);
  const scroll = useRef({ toRow, by });
  scroll.current = { toRow, by };
  const searched = useRef(pattern);
  searched.current = pattern;
  useEffect(() => {
    const box = scroller.current;
    if (!box || !target) return;
    let [calm, count, frame] = [0, 0, 0];
    const isReached = () => {
      const row = rowWith(box, target.key);
      if (!row) {
        scroll.current.toRow(target.key);
        return false;
      }
      const range = searched.current && matchIn(row, searched.current, target.nth);
      if (range) scrollWithin(range, box);
      // Texts are drawn a little later than their rows.
      const [match, seen] = [range ? boxOf(range) : row.getBoundingClientRect(), box.getBoundingClientRect()];
      const isSeen = match.top >= seen.top + seen.height / 8 && match.bottom <= seen.bottom - seen.height / 8;
      // At the ends, it can't come any closer.
      const pixels = match.top - seen.top - (seen.height - match.height) / 2;
      const isEnd = pixels < 0 ? box.scrollTop <= 0 : box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
      if (!isSeen && !isEnd) scroll.current.by(pixels);
      return range !== null && (isSeen || isEnd);
    };
    const step = () => {
      calm = isReached() ? calm + 1 : 0;
      count += 1;
      if (calm < CALM_FRAMES && count < FRAMES_MAX) frame = requestAnimationFrame(step);
    };
    // You scroll freely at once.
    const stop = () => cancelAnimationFrame(frame);
    box.addEventListener('wheel', stop, { passive: true });
    box.addEventListener('touchmove', stop, { passive: true });
    step();
    return () => {
      stop();
      box.removeEventListener('wheel', stop);
      box.removeEventListener('touchmove', stop);
    };
  }, [scroller, target]);
}
