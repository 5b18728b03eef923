/**
 * The transcript. Only visible rows are in the document; older ones load as you scroll to them. It follows new entries
 * while you are at its end; elsewhere it stays in place and shows the number of new ones.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Button, Icon } from '@shell/components';
import type { Ask } from './data';
import { FindBar } from './find/FindBar';
import { useFind } from './find/useFind';
import { useShowMatch } from './find/useShowMatch';
import { drawnRows, finalMessage, isLastTurnOpen } from './final/final';
import { useFinalOptions } from './final/useFinalMessage';
import { grouped } from './grouped';
import type { Shown } from './live';
import { RowView } from './RowView';
import { isActive } from './states';
import { firstOf, messageOf, rowOf, type Row } from './transcript';

/** Maximum distance from the end, in pixels, to count as being at the end. */
const END_PX = 48;
/** Number of rows from the first one at which older ones are loaded. */
const AHEAD = 15;
const OVERSCAN = 6;
/** Padding above the first row and below the last one, in pixels. */
const PADDING_PX = 12;
/** Number of frames without movement after which the target position counts as reached. */
const CALM_FRAMES = 5;
/** The estimated height of a row before it's drawn. */
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
  notes: 30,
  steps: 30,
  divider: 30,
};

interface Props {
  /** The session's id. */
  session: string;
  shown: Shown;
  asks: readonly Ask[];
  /** The entry that was searched for, which is highlighted. */
  at: number | null;
  onOlder: () => void;
  onNewer: () => void;
  onJump: (to: 'first' | 'last') => void;
  /** Loads the rest of the transcript until there are so many entries. */
  onFill: (entries: number, signal: AbortSignal) => Promise<void>;
  isFinding: boolean;
  onFindEnd: () => void;
  onFork: (entry: number) => void;
}

const indexOf = (rows: readonly Row[], key: string) => rows.findIndex((row) => row.key === key);

/** Which rows are expanded. */
function useFolds() {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const onFold = useCallback((key: string) => {
    setUnfolded((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const unfold = useCallback((key: string) => setUnfolded((before) => new Set(before).add(key)), []);
  return { unfolded, onFold, unfold };
}

/** All rows, those that are drawn, and the folds that they are in. */
function useDrawn(shown: Shown, unfolded: ReadonlySet<string>) {
  const options = useFinalOptions();
  const { ended, hasNewer, session } = shown;
  const isOpen = isLastTurnOpen(shown.rows, { ended, hasNewer, isActive: isActive(session?.state ?? '') });
  const parts = useMemo(() => finalMessage(grouped(shown.rows), options, isOpen), [shown.rows, options, isOpen]);
  const all = useMemo(() => parts.map(({ row }) => row), [parts]);
  const rows = useMemo(() => drawnRows(parts, unfolded), [parts, unfolded]);
  const foldOf = (key: string | undefined) => parts.find(({ row }) => row.key === key)?.fold ?? null;
  return { rows, all, foldOf };
}

export function Transcript({
  session,
  shown,
  asks,
  at,
  onOlder,
  onNewer,
  onJump,
  onFill,
  isFinding,
  onFindEnd,
  onFork,
}: Props) {
  const { hasOlder, hasNewer, place } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const { unfolded, onFold, unfold } = useFolds();
  const { rows, all, foldOf } = useDrawn(shown, unfolded);
  const [isAtEnd, setAtEnd] = useState(true);
  /** The newest row when you were last at the end. A row's key is the number of its first entry. */
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
  const foundFold = at === null || at > shown.last ? null : foldOf(all[rowOf(all, at)]?.key);
  useLayoutEffect(() => {
    if (foundFold) unfold(foundFold);
  }, [foundFold, unfold]);
  /** The target position that was reached; from then on, you scroll freely. */
  const [settled, setSettled] = useState<Shown['place'] | null>(null);
  const isSettled = settled === place;
  const put = useRef<() => boolean>(() => true);
  // Scrolls to the start position: the end, the first row, or the searched entry. Returns whether it's reached.
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
    // Rows change height as they are drawn, so the position is reached once it stops moving.
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
  // Loading older rows moves the others, so it doesn't happen while a position is being searched for.
  useEffect(() => {
    if (isSettled && hasOlder && first < AHEAD) onOlder();
  }, [isSettled, first, hasOlder, onOlder, shown.rows.length]);
  useEffect(() => {
    if (hasNewer && last > rows.length - AHEAD) onNewer();
  }, [last, hasNewer, onNewer, rows.length, shown.rows.length]);
  const stays = useRef(isAtEnd);
  const height = useRef(0);
  const look = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    // A card below took room or gave it back, and an entry scrolled before that was noticed: that isn't you leaving.
    const isResized = height.current !== box.clientHeight;
    height.current = box.clientHeight;
    if (isResized && stays.current) {
      virtual.scrollToEnd();
      return;
    }
    const isThere = box.scrollHeight - box.scrollTop - box.clientHeight <= END_PX;
    setAtEnd(isThere);
    if (isThere) setSeen(newest);
  }, [newest, virtual]);
  // A card below makes the transcript smaller: stay at the end.
  stays.current = isAtEnd && isSettled && !hasNewer;
  useEffect(() => {
    const box = scroller.current;
    if (!box || typeof ResizeObserver === 'undefined') return;
    const watch = new ResizeObserver(() => stays.current && virtual.scrollToEnd());
    watch.observe(box);
    return () => watch.disconnect();
  }, [virtual]);
  const find = useFind({
    isOpen: isFinding,
    rows: all,
    asks,
    hasMore: hasOlder || hasNewer,
    onFill,
    firstSeen: () => firstOf(rows[items.find(({ end }) => end > (scroller.current?.scrollTop ?? 0))?.index ?? last]),
  });
  const { target } = find;
  const targetFold = foldOf(target?.key);
  useLayoutEffect(() => {
    if (!target) return;
    setSettled(place);
    unfold(target.key);
    if (targetFold) unfold(targetFold);
  }, [target, targetFold, place, unfold]);
  useShowMatch({
    scroller,
    pattern: find.pattern,
    target,
    toRow: (key) => virtual.scrollToIndex(Math.max(0, indexOf(rows, key)), { align: 'center' }),
    by: (pixels) => virtual.scrollToOffset((scroller.current?.scrollTop ?? 0) + pixels),
  });
  const newestRows = useRef(shown.rows);
  newestRows.current = shown.rows;
  const sourceOf = useCallback((row: Row) => messageOf(newestRows.current, row), []);
  const toEnd = () => onJump('last');
  const onKeyDown = (event: KeyboardEvent) => {
    goOwnWay();
    // Elements with their own scrollbar scroll themselves.
    const isOwn = event.target instanceof Element && event.target.closest('pre, .diff-lines') !== null;
    if (isOwn || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    // A browser's own scrolling is slow, and stops early when newly drawn rows change height.
    if (event.key === 'End') toEnd();
    else if (event.key === 'Home') onJump('first');
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (isSettled) look();
  }, [isSettled, look]);
  useEffect(() => {
    if (isAtEnd) setSeen(newest);
  }, [isAtEnd, newest]);
  // Rows that were already loaded when you opened the middle of a transcript aren't new, only later ones are.
  const known = useRef({ place, newest, hadNewer: hasNewer });
  const isCatchingUp = known.current.place !== place || known.current.hadNewer;
  known.current = { place, newest: isCatchingUp ? newest : known.current.newest, hadNewer: hasNewer };
  const from = Math.max(seen, known.current.newest);
  let fresh = 0;
  while (fresh < rows.length && firstOf(rows[rows.length - 1 - fresh]) > from) fresh += 1;
  return (
    <div className="transcript">
      {isFinding && <FindBar find={find} onClose={onFindEnd} />}
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
                data-key={row.key}
                data-kind={row.kind}
                data-found={row.key === target?.key || undefined}
                aria-current={item.index === found || undefined}
                className="transcript-row"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div className="transcript-in">
                  <RowView
                    session={session}
                    row={row}
                    ask={ask}
                    isUnfolded={unfolded.has(row.key)}
                    isRevealed={row.key === target?.key}
                    onFold={onFold}
                    sourceOf={sourceOf}
                    onFork={onFork}
                  />
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
