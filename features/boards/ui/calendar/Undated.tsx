/** Items without a date next to the calendar, which can be dragged in and out. */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { Column } from '../data';
import { useRowPx } from '../display';
import type { BoardTable } from '../table';
import { tintOf } from '../views/tint';
import type { CalendarItem } from './DayGrid';

interface UndatedProps {
  table: BoardTable;
  rows: readonly number[];
  tint: Column | undefined;
  isTarget: boolean;
  carriedItem: string | null;
  wanted: string | null;
  onFound: () => void;
  onLift: (item: CalendarItem) => void;
  onPress: (event: PointerEvent, source: CalendarItem) => void;
  onOpenItem: (item: string, name: string) => void;
}

export function Undated({
  table,
  rows,
  tint,
  isTarget,
  carriedItem,
  wanted,
  onFound,
  onLift,
  onPress,
  onOpenItem,
}: UndatedProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowPx = useRowPx();
  const [here, setHere] = useState(0);
  const at = Math.max(0, Math.min(here, rows.length - 1));
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), at])].filter((index) => index < range.count).sort((a, b) => a - b),
  });
  useEffect(() => list.measure(), [list, rowPx]);
  /** The item that gets the focus once it is there. */
  const wantsFocus = useRef<string>(null);
  const go = (index: number) => {
    wantsFocus.current = table.id(rows[index]!);
    setHere(index);
    list.scrollToIndex(index);
  };
  useEffect(() => {
    if (wanted === null) return;
    const index = rows.findIndex((row) => table.id(row) === wanted);
    if (index < 0) return;
    wantsFocus.current = wanted;
    setHere(index);
    onFound();
  }, [wanted, rows, table, onFound]);
  useEffect(() => {
    if (wantsFocus.current === null) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(wantsFocus.current)}"]`);
    if (!button) return;
    wantsFocus.current = null;
    button.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent, index: number, source: CalendarItem) => {
    const steps: Record<string, number> = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: rows.length - 1 };
    const step = steps[event.key];
    if (step !== undefined) go(Math.max(0, Math.min(step, rows.length - 1)));
    else if (event.key === ' ' && carriedItem === null) onLift(source);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <aside className="undated" aria-label="No date" data-day="none" data-target={isTarget || undefined}>
      <h2 className="undated-head">
        No date
        <span className="undated-count" data-numeric>
          {rows.length.toLocaleString()}
        </span>
      </h2>
      <div className="undated-scroll" ref={scroller} data-scrolls="y">
        {rows.length === 0 ? (
          <p className="undated-empty">Every item has a date. Drag one here to remove its date.</p>
        ) : (
          <div role="list" className="undated-list" style={{ height: list.getTotalSize() }}>
            {list.getVirtualItems().map(({ index, start, key }) => {
              const row = rows[index]!;
              const [item, name] = [table.id(row), String(table.cell(row, 'name') ?? '')];
              const source: CalendarItem = { item, name, span: null, day: 0 };
              return (
                <div
                  key={key}
                  role="listitem"
                  aria-setsize={rows.length}
                  aria-posinset={index + 1}
                  data-index={index}
                  className="undated-place"
                  style={{ transform: `translateY(${start}px)`, height: rowPx }}
                >
                  <button
                    type="button"
                    className="day-item undated-item"
                    data-item={item}
                    data-carried={carriedItem === item || undefined}
                    style={tintOf(table, row, tint).style}
                    tabIndex={index === at ? 0 : -1}
                    aria-describedby="calendar-keys"
                    onFocus={() => setHere(index)}
                    onPointerDown={(event) => onPress(event, source)}
                    onKeyDown={(event) => onKeyDown(event, index, source)}
                    onKeyUp={(event) => event.key === ' ' && event.preventDefault()}
                    onClick={() => onOpenItem(item, name)}
                    title={name}
                  >
                    {name}
                  </button>
                </div>
              );
            })}
          </div>
        )}
      </div>
    </aside>
  );
}
