/**
 * The transcript. Only rows in view are in the document; older ones are read when they are scrolled to. It stays at its end while
 * the reader is there; further up it stands still, and says how much is new.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button, Icon } from '@shell/components';
import type { Ask } from './data';
import type { Shown } from './live';
import { RowView } from './RowView';
import { firstOf, rowOf, type Row } from './transcript';

/** Pixels from the end within which a reader is at the end. */
const END_PX = 48;
/** Rows from the first one within which older ones are read. */
const AHEAD = 15;
const OVERSCAN = 6;
/** Pixels above the first row and below the last one. */
const PADDING_PX = 12;
/** Frames for which a place stays where it is before it counts as come to. */
const CALM_FRAMES = 5;
/** What a row is taken to be high before it was drawn. */
const HEIGHTS: Readonly<Record<Row['kind'], number>> = {
  prompt: 56,
  text: 120,
  thought: 30,
  picture: 240,
  link: 28,
  tool: 30,
  plan: 96,
  ask: 30,
  line: 30,
};

interface Props {
  /** The session's id. */
  session: string;
  shown: Shown;
  asks: readonly Ask[];
  /** The entry that was searched for, which is marked. */
  at: number | null;
  onOlder: () => void;
  onNewer: () => void;
  onJump: (to: 'first' | 'last') => void;
}

export function Transcript({ session, shown, asks, at, onOlder, onNewer, onJump }: Props) {
  const { rows, hasOlder, hasNewer, place } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [isAtEnd, setAtEnd] = useState(true);
  /** The newest row when the reader was last at the end; rows are called after the numbers of their first entries. */
  const [seen, setSeen] = useState(0);
  const newest = firstOf(rows.at(-1));
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? 'line'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const found = at === null || at > shown.last ? -1 : rowOf(rows, at);
  /** The place that was come to, after which the reader goes their own way. */
  const [settled, setSettled] = useState<Shown['place'] | null>(null);
  const isSettled = settled === place;
  const put = useRef<() => boolean>(() => true);
  // Where it begins: at its end, at its first row, or at what was searched for. Gives whether it is there.
  put.current = () => {
    const box = scroller.current;
    if (!box) return false;
    if (place.at === null) {
      if (box.scrollHeight - box.scrollTop - box.clientHeight < 2) return true;
      virtual.scrollToEnd();
      return false;
    }
    const wanted = Math.max(0, rowOf(rows, place.at));
    const drawn = box.querySelector(`[data-index="${wanted}"]`)?.getBoundingClientRect();
    const seen = box.getBoundingClientRect();
    if (wanted === 0 ? box.scrollTop <= PADDING_PX : drawn && drawn.bottom > seen.top && drawn.top < seen.bottom)
      return true;
    virtual.scrollToIndex(wanted, { align: wanted === 0 ? 'start' : 'center' });
    return false;
  };
  const hasRows = rows.length > 0;
  useLayoutEffect(() => {
    if (!hasRows) return;
    // Rows are found to be of other heights as they are drawn: it is there once it stays there.
    let calm = 0;
    let frame = 0;
    const step = () => {
      calm = put.current() ? calm + 1 : 0;
      if (calm >= CALM_FRAMES) setSettled(place);
      else frame = requestAnimationFrame(step);
    };
    step();
    return () => cancelAnimationFrame(frame);
  }, [place, hasRows]);
  const goOwnWay = () => setSettled(place);
  // Older rows come before the others and move them: not while a place is being looked for.
  useEffect(() => {
    if (isSettled && hasOlder && first < AHEAD) onOlder();
  }, [isSettled, first, hasOlder, onOlder, rows.length]);
  useEffect(() => {
    if (hasNewer && last > rows.length - AHEAD) onNewer();
  }, [last, hasNewer, onNewer, rows.length]);
  const look = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const isThere = box.scrollHeight - box.scrollTop - box.clientHeight <= END_PX;
    setAtEnd(isThere);
    if (isThere) setSeen(newest);
  }, [newest]);
  // A card that comes below takes room from it: who is at the end stays there.
  const stays = useRef(isAtEnd);
  stays.current = isAtEnd && isSettled && !hasNewer;
  useEffect(() => {
    const box = scroller.current;
    if (!box || typeof ResizeObserver === 'undefined') return;
    const watch = new ResizeObserver(() => stays.current && virtual.scrollToEnd());
    watch.observe(box);
    return () => watch.disconnect();
  }, [virtual]);
  const toEnd = () => onJump('last');
  const onKeyDown = (event: KeyboardEvent) => {
    goOwnWay();
    // What has a scrollbar of its own scrolls itself.
    const isOwn = event.target instanceof Element && event.target.closest('pre, .diff-lines') !== null;
    if (isOwn || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    // A browser's own way there is long, and ends where rows that come into view are found to be of another height.
    if (event.key === 'End') toEnd();
    else if (event.key === 'Home') onJump('first');
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (isSettled) look();
  }, [isSettled, look]);
  const onFold = useCallback((key: string) => {
    setUnfolded((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  useEffect(() => {
    if (isAtEnd) setSeen(newest);
  }, [isAtEnd, newest]);
  // Rows that were there already when the reader came to the middle of a transcript are not new, only what comes after them.
  const known = useRef({ place, newest, hadNewer: hasNewer });
  const isCatchingUp = known.current.place !== place || known.current.hadNewer;
  known.current = { place, newest: isCatchingUp ? newest : known.current.newest, hadNewer: hasNewer };
  const from = Math.max(seen, known.current.newest);
  let fresh = 0;
  while (fresh < rows.length && firstOf(rows[rows.length - 1 - fresh]) > from) fresh += 1;
  return (
    <div className="transcript">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Keys of the elements inside bubble up here. */}
      <div
        ref={scroller}
        className="transcript-scroll"
        role="log"
        aria-label="Transcript"
        aria-live="off"
        tabIndex={0}
        onScroll={look}
        onKeyDown={onKeyDown}
        onWheel={goOwnWay}
        onTouchMove={goOwnWay}
        onPointerDown={goOwnWay}
      >
        <div className="transcript-rows" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            const ask = row.kind === 'ask' ? asks.find(({ id }) => id === row.ask) : undefined;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-kind={row.kind}
                aria-current={item.index === found || undefined}
                className="transcript-row"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div className="transcript-in">
                  <RowView session={session} row={row} ask={ask} isUnfolded={unfolded.has(row.key)} onFold={onFold} />
                </div>
              </div>
            );
          })}
        </div>
      </div>
      {(!isAtEnd || hasNewer) && (
        <div className="transcript-jump">
          <Button onPress={toEnd}>
            <Icon name="chevronDown" size={12} />
            {fresh > 0 ? `${fresh.toLocaleString()} new` : 'Jump to latest'}
          </Button>
        </div>
      )}
    </div>
  );
}
