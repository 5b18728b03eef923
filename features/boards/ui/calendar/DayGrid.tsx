/** The days of a calendar as an ARIA grid, a row for each week, with items as bars across their days. */
import {
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type Ref,
} from 'react';
import { IconButton } from '@shell/components';
import { dayOfMonth, formatDay, formatSpan, fullDay, startOfMonth, weekday, type DaySpan } from '@shell/dates';
import type { Column } from '../data';
import { entryPx, useRowPx } from '../display';
import type { BoardTable } from '../table';
import type { Carried } from '../views/carry';
import { fitting, lanesOf, type Piece, type Placed } from '../views/placing';
import { tintOf } from '../views/tint';
import { dayByKey, WEEK } from './range';

/** The number of the day above its items; calendar.css has it too. */
const HEAD_PX = 28;

/** An item as it is taken: by which of its days. */
export interface CalendarItem {
  item: string;
  name: string;
  /** Null where it has no date yet. */
  span: DaySpan | null;
  day: number;
}

interface DayGridProps {
  ref: Ref<HTMLDivElement>;
  label: string;
  table: BoardTable;
  tint: Column | undefined;
  weeks: readonly number[];
  weekStart: number;
  /** A day of the month that is meant; others are faint. Null for a week. */
  month: number | null;
  today: number;
  day: number;
  placed: readonly Placed[];
  carried: Carried<DaySpan | null> | null;
  wanted: { day: number } | { item: string } | null;
  onFound: () => void;
  onDay: (day: number) => void;
  onGo: (day: number) => void;
  onLift: (item: CalendarItem) => void;
  onCarry: (over: number) => void;
  onLand: (drop: boolean) => void;
  onPress: (event: PointerEvent, source: CalendarItem) => void;
  onOpenItem: (item: string, name: string) => void;
  onMore: (day: number) => void;
  onAdd: (day: number) => void;
}

export function DayGrid(props: DayGridProps) {
  const {
    ref,
    label,
    table,
    tint,
    weeks,
    weekStart,
    month,
    today,
    day,
    placed,
    carried,
    wanted,
    onFound,
    onDay,
    onGo,
    onLift,
    onCarry,
    onLand,
    onPress,
    onOpenItem,
    onMore,
    onAdd,
  } = props;
  const frame = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => frame.current!);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const body = frame.current;
    if (!body) return;
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 0));
    observer.observe(body);
    return () => observer.disconnect();
  }, []);
  const lanePx = entryPx(useRowPx());
  const lanes = Math.max(2, Math.floor((height / weeks.length - HEAD_PX - 4) / lanePx));
  const pieces = useMemo(
    () => weeks.map((week) => fitting(lanesOf(placed, week, WEEK), lanes, WEEK)),
    [weeks, placed, lanes],
  );
  const inView = day >= weeks[0]! && day < weeks.at(-1)! + WEEK ? day : weeks[0]!;

  useEffect(() => {
    if (!wanted) return;
    const what =
      'day' in wanted ? `[role=gridcell][data-day="${wanted.day}"]` : `[data-item="${CSS.escape(wanted.item)}"]`;
    const found = frame.current?.querySelector<HTMLElement>(what);
    if (!found) return;
    found.focus({ preventScroll: true });
    onFound();
  });

  const itemsIn = (cell: Element) => [...cell.querySelectorAll<HTMLElement>('[data-item], .day-more')];
  const onCellKey = (event: KeyboardEvent, at: number) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const next = dayByKey(event.key, at, weekStart);
    if (carried?.byKey) {
      if (next !== undefined) onCarry(next);
      else if (event.key === 'Enter' || event.key === ' ') onLand(true);
      else if (event.key === 'Escape' || event.key === 'Tab') onLand(false);
      else return;
    } else if (event.target !== event.currentTarget) {
      // In a day's items.
      const all = itemsIn(event.currentTarget);
      const index = all.indexOf(event.target as HTMLElement);
      if (event.key === 'ArrowUp' || event.key === 'ArrowDown')
        all[(index + (event.key === 'ArrowDown' ? 1 : all.length - 1)) % all.length]?.focus();
      else if (event.key === 'Escape') onGo(at);
      else return;
    } else if (next !== undefined) onGo(next);
    else if (event.key === 'Enter') {
      const [first] = itemsIn(event.currentTarget);
      if (first) first.focus();
      else onAdd(at);
    } else if (event.key === 'n' || event.key === 'N') onAdd(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isIn = (at: number) => month === null || startOfMonth(at) === startOfMonth(month);
  return (
    <div className="day-grid" role="grid" aria-label={label} aria-describedby="calendar-keys">
      <div className="day-head" role="row">
        {Array.from({ length: WEEK }, (_, at) => (
          <div role="columnheader" key={at} aria-label={formatDay(weeks[0]! + at, { weekday: 'long' })}>
            {formatDay(weeks[0]! + at, { weekday: 'short' })}
          </div>
        ))}
      </div>
      <div className="day-body" role="rowgroup" ref={frame}>
        {weeks.map((week, at) => (
          <div key={week} className="day-week" role="row">
            {Array.from({ length: WEEK }, (_, column) => {
              const date = week + column;
              const own = pieces[at]!.shown.filter((piece) => piece.first === column);
              const more = pieces[at]!.more[column]!;
              const weekend = weekday(date) % 6 === 0;
              return (
                <div
                  key={date}
                  role="gridcell"
                  className="day-cell"
                  data-day={date}
                  data-out={!isIn(date) || undefined}
                  data-weekend={weekend || undefined}
                  aria-current={date === today ? 'date' : undefined}
                  tabIndex={date === inView ? 0 : -1}
                  onFocus={() => date !== day && onDay(date)}
                  onKeyDown={(event) => onCellKey(event, date)}
                  onDoubleClick={(event) => event.target === event.currentTarget && onAdd(date)}
                >
                  <span className="sr-only">{fullDay(date)}</span>
                  <span className="day-number" aria-hidden="true">
                    {dayOfMonth(date) === 1 ? formatDay(date, { day: 'numeric', month: 'short' }) : dayOfMonth(date)}
                  </span>
                  <span className="day-add">
                    <IconButton
                      icon="plus"
                      label={`Add an item on ${fullDay(date)}`}
                      excludeFromTabOrder
                      onPress={() => onAdd(date)}
                    />
                  </span>
                  {own.map((piece) => (
                    <Bar
                      key={table.id(piece.row)}
                      piece={piece}
                      week={week}
                      lanePx={lanePx}
                      table={table}
                      tint={tint}
                      placed={placed}
                      carried={carried}
                      onLift={onLift}
                      onPress={onPress}
                      onOpenItem={onOpenItem}
                    />
                  ))}
                  {more > 0 && (
                    <button
                      type="button"
                      className="day-more"
                      tabIndex={-1}
                      style={{ top: HEAD_PX + (lanes - 1) * lanePx, height: lanePx - 3, lineHeight: `${lanePx - 3}px` }}
                      onClick={() => onMore(date)}
                    >
                      + {more.toLocaleString()} more
                    </button>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

interface BarProps extends Pick<
  DayGridProps,
  'table' | 'tint' | 'placed' | 'carried' | 'onLift' | 'onPress' | 'onOpenItem'
> {
  piece: Piece;
  week: number;
  lanePx: number;
}

function Bar({ piece, week, lanePx, table, tint, placed, carried, onLift, onPress, onOpenItem }: BarProps) {
  const { row, first, last, lane, opens, closes } = piece;
  const item = table.id(row);
  const name = String(table.cell(row, 'name') ?? '');
  const found = placed.find((one) => one.row === row);
  const span: DaySpan = found ? { from: found.from, to: found.to } : { from: week + first, to: week + last };
  const { style, text } = tintOf(table, row, tint);
  const isCarried = carried?.item === item;
  return (
    <button
      type="button"
      className="day-item"
      data-item={item}
      data-opens={opens || undefined}
      data-closes={closes || undefined}
      data-carried={isCarried || undefined}
      tabIndex={-1}
      aria-label={[name, formatSpan(span), text].filter(Boolean).join(', ')}
      style={{
        ...style,
        top: HEAD_PX + lane * lanePx,
        height: lanePx - 3,
        lineHeight: `${lanePx - 3}px`,
        width: `calc(${(last - first + 1) * 100}% - 7px)`,
      }}
      onPointerDown={(event) => {
        // The bar is held by the day under the pointer.
        const box = event.currentTarget.getBoundingClientRect();
        const days = last - first + 1;
        const into = Math.min(days - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * days)));
        onPress(event, { item, name, span, day: week + first + into });
      }}
      onKeyDown={(event) => {
        if (event.key !== ' ' || carried) return;
        event.preventDefault();
        event.stopPropagation();
        onLift({ item, name, span, day: week + first });
      }}
      onKeyUp={(event) => event.key === ' ' && event.preventDefault()}
      onClick={() => onOpenItem(item, name)}
      title={name}
    >
      {name}
    </button>
  );
}
