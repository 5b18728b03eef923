/** The lines of a table that are in view. They follow the scrolling by themselves, so that nothing around them is drawn again with it. */
import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, type ReactNode, type Ref } from 'react';

/** Extra lines rendered above and below the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 6;
/** While the board scrolls, on the side that it scrolls to alone. */
const OVERSCAN_AHEAD = 3;

export interface InViewHandle {
  /** Scrolls a line into view. */
  reveal: (line: number) => void;
}

interface InViewProps {
  scroller: HTMLElement;
  count: number;
  rowPx: number;
  /** Pixels that stay covered at the top and at the bottom. */
  head: number;
  foot: number;
  /** A line that stays in the document wherever it is scrolled or sorted to: it may hold what is being typed. */
  kept: number;
  /** A line that passes has come into view while the board scrolls; it is drawn once more when that is over. */
  draw: (index: number, top: number, isPassing: boolean) => ReactNode;
  ref: Ref<InViewHandle>;
}

export function InView({ scroller, count, rowPx, head, foot, kept, draw, ref }: InViewProps) {
  const virtual: Virtualizer<HTMLElement, Element> = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollPaddingStart: head,
    scrollPaddingEnd: foot,
    rangeExtractor: (range) => {
      const ahead = virtual.isScrolling ? OVERSCAN_AHEAD : range.overscan;
      const behind = virtual.isScrolling ? 0 : range.overscan;
      const isUp = virtual.scrollDirection === 'backward';
      const startIndex = Math.max(0, range.startIndex - (isUp ? ahead : behind));
      const endIndex = Math.min(count - 1, range.endIndex + (isUp ? behind : ahead));
      const inView = defaultRangeExtractor({ ...range, startIndex, endIndex, overscan: 0 });
      const isOut = kept >= 0 && kept < count && (kept < startIndex || kept > endIndex);
      return isOut ? [...inView, kept].sort((a, b) => a - b) : inView;
    },
  });
  // Every board takes up another density at once; what was measured before no longer holds.
  useEffect(() => virtual.measure(), [virtual, rowPx]);
  useImperativeHandle(ref, () => ({ reveal: (line) => virtual.scrollToIndex(line) }), [virtual]);
  const lines = virtual.getVirtualItems();
  /** Lines that were there when the board stood still: they stay as they are while it scrolls. */
  const still = useRef<ReadonlySet<number>>(new Set());
  useLayoutEffect(() => {
    if (!virtual.isScrolling) still.current = new Set(lines.map(({ index }) => index));
  });
  return (
    <div role="presentation" className="grid-body" style={{ height: virtual.getTotalSize() }}>
      {lines.map(({ index, start }) =>
        draw(index, start, virtual.isScrolling && !still.current.has(index) && index !== kept),
      )}
    </div>
  );
}
