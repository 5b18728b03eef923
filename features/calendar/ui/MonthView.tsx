/** A month as an ARIA grid, a row for each week. Entries are bars across their days. */
import { memo, useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { formatDay, fullDay, startOfMonth, weekday } from '@shell/dates';
import { entriesOn, entryByKey, EntryButton, type EntryActions } from './EntryButton';
import { countsOf, dayByKey, dayLabel, rowsOf, WEEK, type Piece, type Row, type Window } from './layout';
import { allDayEvent, type Entry } from './model';
import { formatTime } from './time';
import { dayAt, startDrag } from './useDrag';

/** calendar.css has these too. */
const HEAD_PX = 28;
const LANE_PX = 22;
/** Until the height is known. */
const LANES = 4;

export interface ViewProps {
  window: Window;
  weekStart: number;
  today: number;
  /** The day with the focus. */
  day: number;
  /** In order. */
  entries: readonly Entry[];
  sessions: readonly Entry[];
  label: string;
  actions: EntryActions;
  /** Moves the focus to a day. */
  onGo: (day: number) => void;
  onDay: (day: number) => void;
}

/** Starts a move of an entry by days. */
export function dragDays(event: PointerEvent, entry: Entry, actions: EntryActions, among?: string) {
  if (!entry.canMove) return;
  const pressed = { x: event.clientX, y: event.clientY };
  let from: number | undefined;
  let by = 0;
  startDrag(event, {
    onMove: (point) => {
      from ??= dayAt(pressed, among)?.day ?? entry.first;
      const over = dayAt(point, among);
      if (!over || over.day - from === by) return;
      by = over.day - from;
      actions.preview(entry, by, 0);
    },
    onEnd: (hasMoved) => {
      actions.endPreview();
      if (hasMoved && by !== 0) actions.move(entry, by, 0);
    },
  });
}

export function MonthView(props: ViewProps) {
  const { window, weekStart, today, day, entries, sessions, label, actions, onGo, onDay } = props;
  const body = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const element = body.current;
    if (!element) return;
    const observer = new ResizeObserver(([change]) => setHeight(change?.contentRect.height ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const weeks = (window.to - window.from) / WEEK;
  const lanes = height === 0 ? LANES : Math.max(2, Math.floor((height / weeks - HEAD_PX - 4) / LANE_PX));
  const { from, to } = window;
  const rows = useMemo(() => rowsOf(entries, { from, to }, WEEK, lanes), [entries, from, to, lanes]);
  const counts = useMemo(() => countsOf(sessions), [sessions]);
  const [range, setRange] = useState<{ from: number; to: number } | null>(null);
  // Weeks are drawn again only if theirs changes.
  const newest = useRef({ onGo, onDay });
  useEffect(() => {
    newest.current = { onGo, onDay };
  });
  const month = startOfMonth(day);
  const handlers = useMemo(() => {
    const onKey = (event: KeyboardEvent<HTMLElement>, at: number) => {
      if (event.altKey || event.metaKey || event.ctrlKey) return;
      const frame = body.current;
      const next = dayByKey(event.key, at, weekStart);
      if (event.target === event.currentTarget) {
        if (next !== undefined) newest.current.onGo(next);
        else if (event.key === 'Enter') {
          const [first] = entriesOn(frame, at);
          if (first) first.focus();
          else actions.create(allDayEvent(at));
        } else return;
      } else {
        const among = entryByKey(event.key, entriesOn(frame, at), event.target as Element);
        if (among) among.focus();
        else if (event.key === 'Escape') newest.current.onGo(at);
        else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') newest.current.onGo(next!);
        else return;
      }
      event.preventDefault();
      event.stopPropagation();
    };
    const onPress = (event: PointerEvent<HTMLElement>, at: number) => {
      if (event.target !== event.currentTarget) return;
      let to = at;
      startDrag(event, {
        onMove: (point) => {
          const over = dayAt(point);
          if (!over || over.day === to) return;
          to = over.day;
          setRange({ from: Math.min(at, to), to: Math.max(at, to) });
        },
        onEnd: (hasMoved) => {
          setRange(null);
          if (hasMoved !== null) actions.create(allDayEvent(Math.min(at, to), Math.max(at, to)));
        },
      });
    };
    return { onKey, onPress, onFocus: (at: number) => newest.current.onDay(at) };
  }, [actions, weekStart]);
  return (
    <div className="cal-month" role="grid" aria-label={label} aria-describedby="cal-keys">
      <div className="cal-month-head" role="row">
        {Array.from({ length: WEEK }, (_, at) => (
          <div key={at} role="columnheader" aria-label={formatDay(from + at, { weekday: 'long' })}>
            {formatDay(from + at, { weekday: 'short' })}
          </div>
        ))}
      </div>
      <div className="cal-month-body" role="rowgroup" ref={body}>
        {rows.map((row) => {
          const has = (at: number) => at >= row.start && at < row.start + WEEK;
          return (
            <Week
              key={row.start}
              row={row}
              lanes={lanes}
              month={month}
              today={has(today) ? today : null}
              day={has(day) ? day : null}
              rangeFrom={range ? range.from : null}
              rangeTo={range ? range.to : null}
              counts={counts}
              actions={actions}
              {...handlers}
            />
          );
        })}
      </div>
    </div>
  );
}

interface WeekProps {
  row: Row;
  lanes: number;
  month: number;
  today: number | null;
  day: number | null;
  rangeFrom: number | null;
  rangeTo: number | null;
  counts: ReadonlyMap<number, number>;
  actions: EntryActions;
  onKey: (event: KeyboardEvent<HTMLElement>, at: number) => void;
  onPress: (event: PointerEvent<HTMLElement>, at: number) => void;
  onFocus: (at: number) => void;
}

const Week = memo(function Week(props: WeekProps) {
  const { row, lanes, month, today, day, rangeFrom, rangeTo, counts, actions, onKey, onPress, onFocus } = props;
  return (
    <div className="cal-week" role="row">
      {row.pieces.map((pieces, column) => {
        const at = row.start + column;
        const sessions = counts.get(at);
        const isIn = rangeFrom !== null && rangeTo !== null && rangeFrom <= at && at <= rangeTo;
        const more = row.more[column]!;
        return (
          <div
            key={at}
            role="gridcell"
            className="cal-cell"
            tabIndex={at === day ? 0 : -1}
            data-day={at}
            data-focus={at}
            data-out={startOfMonth(at) !== month || undefined}
            data-weekend={weekday(at) % 6 === 0 || undefined}
            data-chosen={isIn || undefined}
            aria-label={fullDay(at)}
            aria-current={at === today ? 'date' : undefined}
            onKeyDown={(event) => onKey(event, at)}
            onPointerDown={(event) => onPress(event, at)}
            onFocus={(event) => event.target === event.currentTarget && onFocus(at)}
          >
            <button
              type="button"
              className="cal-number"
              tabIndex={-1}
              aria-label={`Open ${fullDay(at)}`}
              onClick={() => actions.openDay(at)}
            >
              {dayLabel(at)}
            </button>
            {sessions && <span className="cal-count">{sessions === 1 ? '1 session' : `${sessions} sessions`}</span>}
            {pieces.map((piece) => (
              <Bar key={piece.entry.key} piece={piece} top={HEAD_PX} actions={actions} />
            ))}
            {more > 0 && (
              <button
                type="button"
                className="cal-more"
                tabIndex={-1}
                style={{ top: HEAD_PX + (lanes - 1) * LANE_PX }}
                aria-label={`${more} more on ${fullDay(at)}`}
                onClick={() => actions.openDay(at)}
              >
                +{more} more
              </button>
            )}
          </div>
        );
      })}
    </div>
  );
});

/** A bar across days, or an event of one day in its cell. */
export function Bar({
  piece: { entry, first, last, lane, opens, closes },
  top,
  actions,
  among,
}: {
  piece: Piece;
  top: number;
  actions: EntryActions;
  among?: string;
}) {
  const isTimed = !entry.isAllDay && entry.first === entry.last;
  return (
    <EntryButton
      entry={entry}
      actions={actions}
      className={isTimed ? 'cal-line' : 'cal-bar'}
      style={{ top: top + lane * LANE_PX, width: `calc(${(last - first + 1) * 100}% - 6px)` }}
      onPointerDown={(event) => dragDays(event, entry, actions, among)}
    >
      <span className="cal-edge" data-opens={opens || undefined} data-closes={closes || undefined} />
      {isTimed && <span className="cal-at">{formatTime(entry.start)}</span>}
      <span className="cal-name">{entry.title}</span>
    </EntryButton>
  );
}
