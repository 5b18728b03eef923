/**
 * A board on a time axis, with one item per line below its group. Bars are moved and resized by pointer or keyboard:
 * Space lifts, arrow keys move, with Shift only the end and with Ctrl only the start, Enter drops, and Escape cancels.
 */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '@shell/components';
import { useSetting } from '@shell/settings';
import { formatSpan, shortDay, useToday, type DaySpan } from '@shell/dates';
import { useRowPx } from '../display';
import { useCarry } from '../views/carry';
import { canStretch, changesFor, isReversed, isShown, nearestOutside, placedItems, spanAt } from '../views/placing';
import type { DatedViewProps } from '../views/props';
import { tintColumn } from '../views/tint';
import { usePointerCarry } from '../views/usePointerCarry';
import { linesOf } from './lines';
import { GroupLine, ItemLine, type BarSource } from './Lines';
import { DAY_PX, dragged, draggedByKey, rangeOf, ticksOf, untilSaturday, type Zoom } from './scale';
import './timeline.css';

/** Width of the names and height of the header; also in timeline.css. */
const NAME_PX = 240;
const HEAD_PX = 52;
/** Names above the days are drawn for so much more than is in view. */
const MARGIN_PX = 400;
/** Scroll distance after which visible lines are recomputed. */
const STEP_PX = 200;
const ZOOMS: readonly { zoom: Zoom; label: string }[] = [
  { zoom: 'day', label: 'Days' },
  { zoom: 'week', label: 'Weeks' },
  { zoom: 'month', label: 'Months' },
];

/** The focused part of a line. */
export type Part = 'name' | 'bar';

export function Timeline({ table, placing, rows, settings, moves, onSettings, onOpenItem }: DatedViewProps) {
  const weekStart = useSetting('calendarWeekStartDay') === 'sunday' ? 0 : 1;
  const today = useToday();
  const zoom: Zoom = settings.zoom ?? 'week';
  const dayPx = DAY_PX[zoom];
  const rowPx = useRowPx();
  const lines = useMemo(
    () => linesOf(table, rows, new Set(settings.foldedGroups ?? [])),
    [table, rows, settings.foldedGroups],
  );
  const { placed } = useMemo(() => placedItems(table, placing, rows), [table, placing, rows]);
  const range = useMemo(() => rangeOf(placed, today), [placed, today]);
  const width = (range.to - range.from + 1) * dayPx;
  const scroller = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ line: number; part: Part }>({ line: 0, part: 'name' });
  const at = Math.max(0, Math.min(place.line, lines.length - 1));
  const wantsFocus = useRef(false);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
    scrollPaddingStart: HEAD_PX,
    rangeExtractor: (drawn) =>
      [...new Set([...defaultRangeExtractor(drawn), at])].filter((index) => index < drawn.count).sort((a, b) => a - b),
  });
  useEffect(() => list.measure(), [list, rowPx]);

  // The day in the middle stays there when days become wider, and when the line begins earlier.
  const middle = useRef<number>(null);
  const [view, setView] = useState({ left: 0, width: 1200 });
  const look = () => {
    const element = scroller.current;
    if (!element) return;
    const shown = element.clientWidth - NAME_PX;
    middle.current = range.from + (element.scrollLeft + shown / 2) / dayPx;
    const left = Math.floor(element.scrollLeft / STEP_PX) * STEP_PX;
    setView((now) => (now.left === left && now.width === shown ? now : { left, width: shown }));
  };
  const newest = useRef(look);
  newest.current = look;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const shown = element.clientWidth - NAME_PX;
    // Today stands a quarter into what is shown at first.
    middle.current ??= today + shown / 4 / dayPx;
    element.scrollLeft = (middle.current - range.from) * dayPx - shown / 2;
    newest.current();
  }, [dayPx, range.from, today]);
  // A wider window shows days that had no names yet.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => newest.current());
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const toDay = (day: number) => {
    const element = scroller.current;
    if (element) element.scrollLeft = (day - range.from) * dayPx - (element.clientWidth - NAME_PX) / 4;
  };
  const elsewhere = useMemo(() => {
    const folded = new Set(settings.foldedGroups ?? []);
    const days = {
      from: range.from + Math.floor(view.left / dayPx),
      to: range.from + Math.ceil((view.left + STEP_PX + view.width) / dayPx),
    };
    // What is folded has no bar, nor has what the line does not reach.
    const drawn = placed.filter(
      ({ row, from, to }) => to >= range.from && from <= range.to && !(folded.size > 0 && folded.has(table.group(row))),
    );
    return nearestOutside(drawn, days);
  }, [placed, table, settings.foldedGroups, view, range, dayPx]);

  const go = (line: number, part: Part) => {
    wantsFocus.current = true;
    const next = Math.max(0, Math.min(line, lines.length - 1));
    setPlace({ line: next, part });
    list.scrollToIndex(next);
  };
  // As soon as it is drawn: an effect that waits may run within the next key's, before what that key moved is drawn.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const line = scroller.current?.querySelector(`[data-index="${at}"]`);
    const found =
      line?.querySelector<HTMLElement>(`[data-part="${place.part}"]`) ??
      line?.querySelector<HTMLElement>('[data-part="name"]');
    if (!found) return;
    wantsFocus.current = false;
    found.focus();
  });

  const carrying = useCarry<DaySpan | null>({
    placeName: (span) => (span ? formatSpan(span) : 'No date'),
    isHere: (item) => isShown(table, rows, item),
    // The line that stands in its place takes the focus.
    onGone: ({ byKey }) => {
      if (byKey && document.activeElement === document.body) go(at, 'name');
    },
    onDrop: ({ item, name, to }) => {
      const row = lines.find((line): line is number => typeof line === 'number' && table.id(line) === item);
      if (row !== undefined && to) moves.cells(item, name, changesFor(table, row, placing, to), formatSpan(to));
    },
  });
  const { carried } = carrying;
  const dayAt = (x: number) => {
    const element = scroller.current;
    if (!element) return range.from;
    return Math.floor(range.from + (x - element.getBoundingClientRect().left - NAME_PX + element.scrollLeft) / dayPx);
  };
  const pointer = usePointerCarry<BarSource>({
    onLift: ({ item, name, span }) => carrying.lift(item, name, span, false),
    onMove: (point, { span, grip, pressedAt }) => {
      const over = dayAt(point.x);
      carrying.over(span ? dragged(span, grip, pressedAt, over) : { from: over, to: over });
    },
    onDrop: carrying.drop,
    onCancel: carrying.cancel,
  });

  const stretches = canStretch(placing);
  const onKeyDown = (event: KeyboardEvent, index: number, part: Part) => {
    const line = lines[index];
    if (event.altKey || event.metaKey || line === undefined) return;
    const item = typeof line === 'number' ? table.id(line) : null;
    if (carried && carried.item === item) {
      const next = draggedByKey(carried.to ?? { from: today, to: today }, event, stretches);
      if (next) carrying.over(next);
      else if (event.key === 'Enter' || event.key === ' ') carrying.drop();
      else if (event.key === 'Escape' || event.key === 'Tab') carrying.cancel();
      else return;
    } else if (event.ctrlKey) return;
    else if (event.key === 'ArrowUp') go(index - 1, part);
    else if (event.key === 'ArrowDown') go(index + 1, part);
    else if (event.key === 'ArrowLeft') go(index, 'name');
    else if (event.key === 'ArrowRight') go(index, 'bar');
    else if (event.key === 'Home') go(0, part);
    else if (event.key === 'End') go(lines.length - 1, part);
    else if (event.key === ' ' && item !== null && part === 'bar') {
      const span = spanAt(table, line as number, placing);
      carrying.lift(item, nameOf(line as number), span, true);
      if (!span) carrying.over({ from: today, to: today });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const nameOf = (row: number) => String(table.cell(row, 'name') ?? '');
  const fold = (group: string, isFolded: boolean) => {
    const rest = (settings.foldedGroups ?? []).filter((one) => one !== group);
    onSettings({ ...settings, foldedGroups: isFolded ? [...rest, group] : rest });
  };

  const drawn = {
    from: Math.max(range.from, range.from + Math.floor((view.left - MARGIN_PX) / dayPx)),
    to: Math.min(range.to, range.from + Math.ceil((view.left + view.width + MARGIN_PX) / dayPx)),
  };
  const x = (day: number) => NAME_PX + (day - range.from) * dayPx;
  const todayPx = x(today) + dayPx / 2;
  const weekends = {
    backgroundImage: `linear-gradient(to right, var(--weekend) ${2 * dayPx}px, transparent ${2 * dayPx}px)`,
    backgroundSize: `${7 * dayPx}px 100%`,
    backgroundPositionX: untilSaturday(range.from) * dayPx,
  };
  return (
    <div className="timeline">
      <Bar
        zoom={zoom}
        stretches={stretches}
        elsewhere={carried ? null : (elsewhere?.day ?? null)}
        onToday={() => toDay(today)}
        onElsewhere={() => {
          if (!elsewhere) return;
          toDay(elsewhere.day);
          go(lines.indexOf(elsewhere.row), 'bar');
        }}
        onZoom={(next) => onSettings({ ...settings, zoom: next })}
      />
      <div className="timeline-scroll" ref={scroller} data-scrolls="both" onScroll={look}>
        <div className="timeline-all" style={{ width: NAME_PX + width }}>
          <Head zoom={zoom} drawn={drawn} range={range} weekStart={weekStart} x={x} dayPx={dayPx} today={today} />
          <div
            className="timeline-body"
            role="list"
            aria-label="Items on a timeline"
            style={{ height: list.getTotalSize() }}
          >
            {list.getVirtualItems().map(({ index, start, key }) => {
              const line = lines[index]!;
              const frame = {
                index,
                count: lines.length,
                top: start,
                height: rowPx,
                here: at === index ? place.part : null,
                onKeyDown,
                onFocus: (part: Part) => setPlace({ line: index, part }),
              };
              if (typeof line !== 'number')
                return (
                  <GroupLine
                    key={key}
                    {...frame}
                    line={line}
                    todayPx={todayPx}
                    onFold={() => fold(line.group.id, !line.isFolded)}
                  />
                );
              const item = table.id(line);
              return (
                <ItemLine
                  key={key}
                  {...frame}
                  table={table}
                  row={line}
                  span={carried?.item === item ? carried.to : spanAt(table, line, placing)}
                  isCarried={carried?.item === item}
                  isReversed={carried?.item !== item && isReversed(table, line, placing)}
                  stretches={stretches}
                  tint={tintColumn(table.meta.columns)}
                  x={x}
                  dayPx={dayPx}
                  today={today}
                  onPress={(event, source) =>
                    pointer.onPointerDown(event, { ...source, pressedAt: dayAt(event.clientX) })
                  }
                  onOpen={() => onOpenItem(item, nameOf(line))}
                  onPlaceToday={() =>
                    moves.cells(
                      item,
                      nameOf(line),
                      changesFor(table, line, placing, { from: today, to: today }),
                      formatSpan({ from: today, to: today }),
                    )
                  }
                />
              );
            })}
          </div>
          {zoom !== 'month' && <div className="timeline-shade" aria-hidden="true" style={{ width, ...weekends }} />}
          <div className="timeline-today" aria-hidden="true" style={{ left: todayPx }} />
          <div className="timeline-margin" aria-hidden="true">
            <div />
          </div>
        </div>
      </div>
      <span className="sr-only" role="status">
        {carrying.said}
      </span>
    </div>
  );
}

/** The buttons above the timeline, with the keys that move items. */
function Bar({
  zoom,
  stretches,
  elsewhere,
  onToday,
  onElsewhere,
  onZoom,
}: {
  zoom: Zoom;
  stretches: boolean;
  /** The nearest day with items, if none are in view. */
  elsewhere: number | null;
  onToday: () => void;
  onElsewhere: () => void;
  onZoom: (zoom: Zoom) => void;
}) {
  return (
    <div className="timeline-bar">
      <Button onPress={onToday}>Today</Button>
      <p className="timeline-hint" id="timeline-keys">
        {stretches
          ? 'Drag a bar to move it, or its ends to resize it. Space lifts it: arrow keys move it, with Shift its end, with Ctrl its start.'
          : 'Drag a bar to move it, or lift it with Space and use the arrow keys.'}
      </p>
      {elsewhere !== null && (
        <div className="view-elsewhere">
          <span role="status">No items on these days</span>
          <Button onPress={onElsewhere}>{`Go to ${shortDay(elsewhere)}`}</Button>
        </div>
      )}
      <div className="segments" role="group" aria-label="Zoom">
        {ZOOMS.map((one) => (
          <button
            key={one.zoom}
            type="button"
            className="segment"
            aria-pressed={zoom === one.zoom}
            onClick={() => onZoom(one.zoom)}
          >
            {one.label}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The names above the days. */
function Head({
  zoom,
  drawn,
  range,
  weekStart,
  x,
  dayPx,
  today,
}: {
  zoom: Zoom;
  drawn: DaySpan;
  range: DaySpan;
  weekStart: number;
  x: (day: number) => number;
  dayPx: number;
  today: number;
}) {
  const { upper, lower } = ticksOf(zoom, drawn, weekStart);
  return (
    <div className="timeline-head" aria-hidden="true">
      <div className="timeline-corner" />
      {upper.map((tick) => (
        <div
          key={`u${tick.from}`}
          className="timeline-tick timeline-upper"
          style={{
            left: x(Math.max(tick.from, range.from)),
            width: (tick.days - Math.max(0, range.from - tick.from)) * dayPx,
          }}
        >
          <span>{tick.text}</span>
        </div>
      ))}
      {lower.map((tick) => (
        <div
          key={`l${tick.from}`}
          className="timeline-tick timeline-lower"
          data-now={(today >= tick.from && today < tick.from + tick.days) || undefined}
          style={{ left: x(tick.from), width: tick.days * dayPx }}
        >
          {tick.text}
        </div>
      ))}
    </div>
  );
}
