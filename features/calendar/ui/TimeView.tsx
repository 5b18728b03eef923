/** A week or a day: whole days above, and columns of time. */
import {
  memo,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
} from 'react';
import { dayOfMonth, formatDay, fullDay, MINUTE_MS, useNow } from '@shell/dates';
import { Link } from 'wouter';
import { entriesOn, entryByKey, EntryButton, type EntryActions } from './EntryButton';
import { blocksOf, dayByKey, rowsOf, type Block, type Piece } from './layout';
import { allDayEvent, describe, isBar, timedEvent, timeRange, type Entry } from './model';
import { Bar, type ViewProps } from './MonthView';
import { axisOf, dayOf, formatMinute, HERE, instantAt, labelOf, missingRows, rowOf, type Axis } from './time';
import { dayAt, startDrag } from './useDrag';

/** calendar.css has these too. */
const HOUR_PX = 48;
const LANE_PX = 22;
/** Bars of whole days above each other. */
const LANES_MAX = 6;
const SLOT_MINUTES = 30;
const STEP_MINUTES = 15;
/** Length of an event created with a click. */
export const NEW_MINUTES = 60;
const FIRST_SHOWN_MINUTE = 7 * 60;

/** Sessions beside each other at the right of a day. */
const SESSION_COLUMNS = 3;
const SESSION_PX = 7;
const SESSIONS_PX = SESSION_COLUMNS * SESSION_PX + 3;
/** Free of events, to create one beside them. */
const FREE_PX = 10;

const COLUMN = '.cal-column';
const ALL_DAY = '.cal-allday-cell';

const top = (row: number) => (row / 60) * HOUR_PX;

export interface TimeViewProps extends ViewProps {
  /** The row with the focus. */
  cursor: RefObject<number>;
}

export function TimeView(props: TimeViewProps) {
  const { window, weekStart, today, day, entries, sessions, label, actions, cursor, onGo, onDay } = props;
  const { from, to } = window;
  const days = useMemo(() => Array.from({ length: to - from }, (_, at) => from + at), [from, to]);
  const axis = useMemo(() => axisOf(days, HERE), [days]);
  const row = useMemo(() => {
    const bars = entries.filter(isBar);
    return rowsOf(bars, { from, to }, to - from, LANES_MAX)[0]!;
  }, [entries, from, to]);
  const blocks = useMemo(() => blocksOf(entries, days, axis), [entries, days, axis]);
  const ran = useMemo(() => blocksOf(sessions, days, axis), [sessions, days, axis]);
  const [slot, setSlot] = useState(cursor.current);
  const frame = useRef<HTMLDivElement>(null);
  // The first hours of a day are seldom wanted.
  useLayoutEffect(() => {
    if (frame.current) frame.current.scrollTop = top(FIRST_SHOWN_MINUTE) - HOUR_PX / 2;
  }, []);
  const newest = useRef({ onGo, onDay });
  useEffect(() => {
    newest.current = { onGo, onDay };
  });
  const handlers = useMemo(() => {
    const point = (next: number) => {
      cursor.current = Math.max(0, Math.min(axis.minutes - SLOT_MINUTES, next));
      setSlot(cursor.current);
      const shown = frame.current;
      if (!shown) return;
      const [first, last] = [top(cursor.current), top(cursor.current + SLOT_MINUTES)];
      const height = shown.clientHeight - (shown.querySelector<HTMLElement>('.cal-time-top')?.offsetHeight ?? 0);
      if (first < shown.scrollTop) shown.scrollTop = first;
      else if (last > shown.scrollTop + height) shown.scrollTop = last - height;
    };
    const onKey = (event: KeyboardEvent<HTMLElement>, at: number) => {
      if (event.altKey || event.metaKey || event.ctrlKey) return;
      const next = event.key.startsWith('Page') ? undefined : dayByKey(event.key, at, weekStart);
      if (event.target === event.currentTarget) {
        if (event.key === 'ArrowUp' || event.key === 'ArrowDown')
          point(cursor.current + (event.key === 'ArrowDown' ? SLOT_MINUTES : -SLOT_MINUTES));
        else if (next !== undefined) newest.current.onGo(next);
        else if (event.key === 'Enter') {
          const all = entriesOn(frame.current, at);
          const start = instantAt(cursor.current, at, axis);
          const later = all.find(({ dataset }) => Number(dataset.end) > start) ?? all[0];
          if (later) later.focus();
          else actions.create(timedEvent(start, start + NEW_MINUTES * MINUTE_MS));
        } else return;
      } else {
        const among = entryByKey(event.key, entriesOn(frame.current, at), event.target as Element);
        if (among) among.focus();
        else if (event.key === 'Escape') newest.current.onGo(at);
        else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') newest.current.onGo(next!);
        else return;
      }
      event.preventDefault();
      event.stopPropagation();
    };
    return { onKey, point, onFocus: (at: number) => newest.current.onDay(at) };
  }, [actions, axis, cursor, weekStart]);
  const shown = day >= from && day < to ? day : from;
  return (
    <div className="cal-time" role="grid" aria-label={label} aria-describedby="cal-keys" ref={frame}>
      <div className="cal-time-top" role="rowgroup">
        <div className="cal-time-row" role="row">
          <div role="columnheader" className="cal-gutter">
            <span className="sr-only">Time</span>
          </div>
          {days.map((at) => (
            <div
              key={at}
              role="columnheader"
              className="cal-time-day"
              aria-label={fullDay(at)}
              aria-current={at === today ? 'date' : undefined}
            >
              {formatDay(at, { weekday: 'short' })}{' '}
              {days.length > 1 ? (
                <button
                  type="button"
                  className="cal-number"
                  tabIndex={-1}
                  aria-label={`Open ${fullDay(at)}`}
                  onClick={() => actions.openDay(at)}
                >
                  {dayOfMonth(at)}
                </button>
              ) : (
                <span className="cal-number">{dayOfMonth(at)}</span>
              )}
            </div>
          ))}
        </div>
        <div className="cal-time-row cal-allday" role="row" style={{ minHeight: (row.lanes + 1) * LANE_PX }}>
          <div role="rowheader" className="cal-gutter">
            All day
          </div>
          {row.pieces.map((pieces, column) => (
            <AllDayCell
              key={from + column}
              at={from + column}
              pieces={pieces}
              more={row.more[column]!}
              actions={actions}
              onKey={handlers.onKey}
            />
          ))}
        </div>
      </div>
      <div role="rowgroup">
        <div className="cal-time-row" role="row" style={{ height: top(axis.minutes) }}>
          <div role="rowheader" aria-label="Times" className="cal-gutter cal-hours">
            {Array.from({ length: Math.ceil(axis.minutes / 60) }, (_, hour) => (
              <span key={hour} style={{ top: top(hour * 60) }}>
                {hour === 0 ? '' : formatMinute(labelOf(hour * 60, axis))}
              </span>
            ))}
          </div>
          {days.map((at, index) => (
            <Column
              key={at}
              at={at}
              axis={axis}
              blocks={blocks[index]!}
              sessions={ran[index]!}
              isToday={at === today}
              slot={at === shown ? slot : null}
              actions={actions}
              {...handlers}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function AllDayCell({
  at,
  pieces,
  more,
  actions,
  onKey,
}: {
  at: number;
  pieces: readonly Piece[];
  more: number;
  actions: EntryActions;
  onKey: (event: KeyboardEvent<HTMLElement>, at: number) => void;
}) {
  return (
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus -- The day's column takes keys.
    <div
      role="gridcell"
      className="cal-allday-cell"
      data-day={at}
      aria-label={`${fullDay(at)}, all day`}
      onKeyDown={(event) => onKey(event, at)}
      onClick={(event) => event.target === event.currentTarget && actions.create(allDayEvent(at))}
    >
      {pieces.map((piece) => (
        <Bar key={piece.entry.key} piece={piece} top={2} actions={actions} among={ALL_DAY} />
      ))}
      {more > 0 && (
        <button
          type="button"
          className="cal-more"
          tabIndex={-1}
          style={{ top: 2 + (LANES_MAX - 1) * LANE_PX }}
          aria-label={`${more} more on ${fullDay(at)}`}
          onClick={() => actions.openDay(at)}
        >
          +{more} more
        </button>
      )}
    </div>
  );
}

/** The row under a height of the page. */
const rowUnder = (y: number, column: Element, axis: Axis) => {
  const { top: first, height } = column.getBoundingClientRect();
  return ((y - first) / height) * axis.minutes;
};

const stepOf = (row: number) => Math.round(row / STEP_MINUTES) * STEP_MINUTES;

/** Starts a move of a block to another day or time. */
function dragBlock(event: PointerEvent, entry: Entry, axis: Axis, actions: EntryActions) {
  const column = event.currentTarget.closest<HTMLElement>(COLUMN);
  if (!entry.canMove || !column) return;
  const from = Number(column.dataset.day);
  const row = rowUnder(event.clientY, column, axis);
  let [days, minutes] = [0, 0];
  startDrag(event, {
    onMove: (point) => {
      const over = dayAt(point, COLUMN);
      const [byDays, byMinutes] = [over ? over.day - from : days, stepOf(rowUnder(point.y, column, axis) - row)];
      if (byDays === days && byMinutes === minutes) return;
      [days, minutes] = [byDays, byMinutes];
      actions.preview(entry, days, minutes);
    },
    onEnd: (hasMoved) => {
      actions.endPreview();
      if (hasMoved && (days !== 0 || minutes !== 0)) actions.move(entry, days, minutes);
    },
  });
}

/** Starts a change of a block's end. */
function dragEnd(event: PointerEvent, entry: Entry, axis: Axis, actions: EntryActions) {
  const column = event.currentTarget.closest(COLUMN);
  if (!entry.canMove || !column) return;
  event.stopPropagation();
  const row = rowUnder(event.clientY, column, axis);
  let minutes = 0;
  startDrag(event, {
    onMove: (point) => {
      const by = stepOf(rowUnder(point.y, column, axis) - row);
      if (by === minutes) return;
      minutes = by;
      actions.previewResize(entry, minutes);
    },
    onEnd: (hasMoved) => {
      actions.endPreview();
      if (hasMoved && minutes !== 0) actions.resize(entry, minutes);
    },
  });
}

interface ColumnProps {
  at: number;
  axis: Axis;
  blocks: readonly Block[];
  sessions: readonly Block[];
  isToday: boolean;
  /** The row with the focus, if it's in this day. */
  slot: number | null;
  actions: EntryActions;
  onKey: (event: KeyboardEvent<HTMLElement>, at: number) => void;
  onFocus: (at: number) => void;
  point: (row: number) => void;
}

const Column = memo(function Column(props: ColumnProps) {
  const { at, axis, blocks, sessions, isToday, slot, actions, onKey, onFocus, point } = props;
  const [range, setRange] = useState<{ from: number; to: number } | null>(null);
  const missing = useMemo(() => missingRows(at, axis), [at, axis]);
  const onPress = (event: PointerEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget) return;
    const column = event.currentTarget;
    const pressed = rowUnder(event.clientY, column, axis);
    const start = Math.floor(pressed / SLOT_MINUTES) * SLOT_MINUTES;
    let [from, to] = [start, start + NEW_MINUTES];
    point(start);
    startDrag(event, {
      onMove: ({ y }) => {
        const over = Math.max(0, Math.min(axis.minutes, stepOf(rowUnder(y, column, axis))));
        const anchor = Math.floor(pressed / STEP_MINUTES) * STEP_MINUTES;
        [from, to] = over > anchor ? [anchor, over] : [over, anchor + STEP_MINUTES];
        setRange({ from, to });
      },
      onEnd: (hasMoved) => {
        setRange(null);
        if (hasMoved === null) return;
        const begin = instantAt(from, at, axis);
        const end = hasMoved ? instantAt(to, at, axis) : begin + NEW_MINUTES * MINUTE_MS;
        actions.create(timedEvent(begin, Math.max(end, begin + STEP_MINUTES * MINUTE_MS)));
      },
    });
  };
  const time = slot === null ? '' : formatMinute(labelOf(slot, axis));
  return (
    <div
      role="gridcell"
      className="cal-column"
      tabIndex={slot === null ? -1 : 0}
      data-day={at}
      data-focus={at}
      aria-label={slot === null ? fullDay(at) : `${fullDay(at)}, ${time}`}
      aria-current={isToday ? 'date' : undefined}
      onKeyDown={(event) => onKey(event, at)}
      onPointerDown={onPress}
      onFocus={(event) => event.target === event.currentTarget && onFocus(at)}
    >
      {missing && (
        <div
          className="cal-missing"
          style={{ top: top(missing.from), height: top(missing.to - missing.from) }}
          title="Skipped: clocks change"
        />
      )}
      {slot !== null && (
        <div className="cal-slot" style={{ top: top(slot), height: top(SLOT_MINUTES) }}>
          <span className="sr-only" role="status">
            {time}
          </span>
        </div>
      )}
      {sessions.map((block) => (
        <SessionBlock key={block.entry.key} block={block} />
      ))}
      {blocks.map((block) => (
        <EventBlock
          key={block.entry.key}
          block={block}
          axis={axis}
          right={sessions.length > 0 ? SESSIONS_PX : FREE_PX}
          actions={actions}
        />
      ))}
      {range && (
        <div className="cal-range" style={{ top: top(range.from), height: top(range.to - range.from) }}>
          {formatMinute(labelOf(range.from, axis))} – {formatMinute(labelOf(range.to, axis))}
        </div>
      )}
      {isToday && <NowLine at={at} axis={axis} />}
    </div>
  );
});

function EventBlock({
  block: { entry, from, to, column, columns, opens, closes },
  axis,
  right,
  actions,
}: {
  block: Block;
  axis: Axis;
  /** Pixels that stay free. */
  right: number;
  actions: EntryActions;
}) {
  return (
    <EntryButton
      entry={entry}
      actions={actions}
      className="cal-block"
      style={{
        top: top(from),
        height: Math.max(0, top(to - from) - 2),
        left: `calc((100% - ${right}px) * ${column / columns})`,
        width: `calc((100% - ${right}px) / ${columns} - 2px)`,
      }}
      onPointerDown={(event) => dragBlock(event, entry, axis, actions)}
    >
      <span className="cal-edge" data-opens={opens || undefined} data-closes={closes || undefined} />
      <span className="cal-name">{entry.title}</span>
      {to - from >= 40 && <span className="cal-at">{timeRange(entry)}</span>}
      {closes && entry.canMove && (
        <span
          className="cal-resize"
          aria-hidden="true"
          onPointerDown={(event) => dragEnd(event, entry, axis, actions)}
        />
      )}
    </EntryButton>
  );
}

function SessionBlock({ block: { entry, from, to, column } }: { block: Block }) {
  if (entry.source.kind !== 'session') return null;
  const words = describe(entry);
  return (
    <Link
      href={`/sessions/${entry.source.session.sessionId}`}
      className="cal-session"
      tabIndex={-1}
      data-key={entry.key}
      data-from={entry.first}
      data-to={entry.last}
      data-end={entry.end}
      aria-label={`${words}, ${timeRange(entry)}`}
      title={`${words}, ${timeRange(entry)}`}
      style={{
        top: top(from),
        height: Math.max(4, top(to - from) - 2),
        right: 2 + (column % SESSION_COLUMNS) * SESSION_PX,
      }}
    />
  );
}

function NowLine({ at, axis }: { at: number; axis: Axis }) {
  const now = useNow(MINUTE_MS);
  if (dayOf(now, HERE) !== at) return null;
  return <div className="cal-now" style={{ top: top(rowOf(now, at, axis)) }} />;
}
