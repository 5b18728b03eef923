/**
 * The transcript. Only rows in view are in the document; older ones are read when they are scrolled to. It stays at its end while
 * the reader is there; further up it stands still, and says how much is new.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button, Icon } from '@shell/components';
import type { Ask } from './data';
import type { Shown } from './live';
import { RowView } from './RowView';
import type { Row } from './transcript';

/** Pixels from the end within which a reader is at the end. */
const END_PX = 48;
/** Rows from the first one within which older ones are read. */
const AHEAD = 15;
const OVERSCAN = 6;
/** What a row is taken to be high before it was drawn. */
const HEIGHTS: Readonly<Record<Row['kind'], number>> = { prompt: 56, text: 120, thought: 30, picture: 240, link: 28, tool: 30, plan: 96, ask: 30, line: 30 };

const numberOf = (row: Row | undefined) => (row ? parseInt(row.key, 10) : 0);

interface Props {
  /** The session's id. */
  session: string;
  shown: Shown;
  asks: readonly Ask[];
  /** The entry that is to be in view first. */
  at: number | null;
  onOlder: () => void;
  onNewer: () => void;
}

export function Transcript({ session, shown, asks, at, onOlder, onNewer }: Props) {
  const { rows, hasOlder, hasNewer } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [isAtEnd, setAtEnd] = useState(true);
  /** The newest row when the reader was last at the end; rows are called after the numbers of their first entries. */
  const [seen, setSeen] = useState(0);
  const newest = numberOf(rows.at(-1));
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? 'line'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
    paddingStart: 12,
    paddingEnd: 12,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  // Where it begins: at its end, or at what was searched for.
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    if (isPlaced.current || rows.length === 0) return;
    isPlaced.current = true;
    const wanted = at === null ? -1 : rows.findIndex(({ number }) => number >= at);
    if (wanted >= 0) virtual.scrollToIndex(wanted, { align: 'center' });
    else virtual.scrollToEnd();
  }, [rows, at, virtual]);
  useEffect(() => {
    if (isPlaced.current && hasOlder && first < AHEAD) onOlder();
  }, [first, hasOlder, onOlder, rows.length]);
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
  let fresh = 0;
  while (fresh < rows.length && numberOf(rows[rows.length - 1 - fresh]) > seen) fresh += 1;
  return (
    <div className="transcript">
      <div ref={scroller} className="transcript-scroll" role="log" aria-label="Transcript" aria-live="off" tabIndex={0} onScroll={look}>
        <div className="transcript-rows" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            const ask = row.kind === 'ask' ? asks.find(({ id }) => id === row.ask) : undefined;
            return (
              <div key={item.key} ref={virtual.measureElement} data-index={item.index} data-kind={row.kind} className="transcript-row" style={{ transform: `translateY(${item.start}px)` }}>
                <div className="transcript-in">
                  <RowView session={session} row={row} ask={ask} isUnfolded={unfolded.has(row.key)} onFold={onFold} />
                </div>
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <div className="transcript-jump">
          <Button onPress={() => virtual.scrollToEnd()}>
            <Icon name="chevronDown" size={12} />
            {fresh > 0 ? `${fresh.toLocaleString()} new` : 'To the end'}
          </Button>
        </div>
      )}
    </div>
  );
}
