/**
 * A board on the days of a month or week. Arrow keys move between days; Enter opens a day's items, where Space lifts
 * one and arrow keys move it. Items without a date are listed at the side and can be dragged in.
 */
import { useMemo, useRef, useState } from 'react';
import { Button, Dialog, IconButton } from '@shell/components';
import { useSetting } from '@shell/settings';
import { dayText, formatSpan, fullDay, shortDay, useToday, type DaySpan } from '@shell/dates';
import { NameDialog } from '../dialogs';
import { useCarry } from '../views/carry';
import { isSpan } from '../views/columns';
import { changesFor, isShown, nearestOutside, placedItems, type Placed } from '../views/placing';
import type { DatedViewProps } from '../views/props';
import { tintColumn } from '../views/tint';
import { dataAt, usePointerCarry } from '../views/usePointerCarry';
import { DayGrid, type CalendarItem } from './DayGrid';
import { heading, pageOn, weeksAround, type CalendarSpan } from './range';
import { Undated } from './Undated';
import './calendar.css';

/** `data-day` of the list of items without a date. */
const NO_DAY = 'none';

export function Calendar({ table, placing, rows, settings, moves, onSettings, onOpenItem }: DatedViewProps) {
  const weekStart = useSetting('calendarWeekStartDay') === 'sunday' ? 0 : 1;
  const today = useToday();
  const span: CalendarSpan = settings.span === 'week' ? 'week' : 'month';
  /** A day of the month or week in view, and the day with the focus. */
  const [anchor, setAnchor] = useState(today);
  const [day, setDay] = useState(today);
  const [listed, setListed] = useState<number | null>(null);
  const [adding, setAdding] = useState<number | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  /** What gets the focus once it is drawn: a day, or an item. */
  const [wanted, setWanted] = useState<{ day: number } | { item: string } | null>(null);
  const weeks = useMemo(() => weeksAround(anchor, span, weekStart), [anchor, span, weekStart]);
  const { placed, without } = useMemo(() => placedItems(table, placing, rows), [table, placing, rows]);
  const elsewhere = useMemo(() => nearestOutside(placed, { from: weeks[0]!, to: weeks.at(-1)! + 6 }), [placed, weeks]);
  const nameOf = (row: number) => String(table.cell(row, 'name') ?? '');

  const show = (next: number) => {
    setDay(next);
    const [first, last] = [weeks[0]!, weeks.at(-1)! + 6];
    if (next < first || next > last) setAnchor(next);
  };
  const go = (next: number) => {
    show(next);
    setWanted({ day: next });
  };
  const rowOf = (item: string) =>
    placed.find(({ row }) => table.id(row) === item)?.row ?? without.find((row) => table.id(row) === item);
  const carrying = useCarry<DaySpan | null>({
    placeName: (place) => (place ? formatSpan(place) : 'No date'),
    // By keyboard the focus is on a day, and stays there.
    isHere: (item) => isShown(table, rows, item),
    onDrop: ({ item, name, to }) => {
      const row = rowOf(item);
      if (row === undefined) return;
      moves.cells(item, name, changesFor(table, row, placing, to), to ? formatSpan(to) : 'no date');
    },
  });
  const { carried } = carrying;
  /** Where what is carried stands if the day it is held by is `over`. */
  const shifted = (from: DaySpan | null, held: number, over: number): DaySpan => {
    const by = over - held;
    return from ? { from: from.from + by, to: from.to + by } : { from: over, to: over };
  };
  const pointer = usePointerCarry<CalendarItem>({
    onLift: ({ item, name, span: from }) => carrying.lift(item, name, from, false),
    onMove: (point, { span: from, day: held }) => {
      const over = dataAt(point, 'day');
      if (over === NO_DAY) carrying.over(null);
      else if (over !== undefined) carrying.over(shifted(from, held, Number(over)));
    },
    onDrop: carrying.drop,
    onCancel: carrying.cancel,
  });
  /** By keyboard the day it is held by has the focus. */
  const heldBy = useRef(0);
  const lift = (one: CalendarItem) => {
    heldBy.current = one.span ? one.day : day;
    carrying.lift(one.item, one.name, one.span, true);
    if (!one.span) carrying.over({ from: day, to: day });
    go(heldBy.current);
  };
  const carryTo = (over: number) => {
    if (!carried) return;
    carrying.over(shifted(carried.from, heldBy.current, over));
    go(over);
  };
  const land = (drop: boolean) => {
    if (!carried) return;
    const stays = drop ? carried.to : carried.from;
    if (drop) carrying.drop();
    else carrying.cancel();
    if (stays) show(Math.max(stays.from, weeks[0]!));
    setWanted({ item: carried.item });
  };

  // What is carried is drawn where it would stand.
  const visible = useMemo(() => {
    const [first, last] = [weeks[0]!, weeks.at(-1)! + 6];
    const rest = carried ? placed.filter(({ row }) => table.id(row) !== carried.item) : placed;
    const shown: Placed[] = rest.filter(({ from, to }) => from <= last && to >= first);
    const row = carried?.to
      ? (placed.find((one) => table.id(one.row) === carried.item)?.row ??
        without.find((one) => table.id(one) === carried.item))
      : undefined;
    if (row !== undefined && carried?.to) shown.push({ row, ...carried.to });
    return carried ? shown.sort((a, b) => a.from - b.from || b.to - a.to) : shown;
  }, [weeks, placed, without, carried, table]);
  const tint = tintColumn(table.meta.columns);
  const title = heading(anchor, span, weekStart);
  const onDay = (at: number) => placed.filter(({ from, to }) => from <= at && at <= to);
  const turn = (by: 1 | -1) => {
    const next = pageOn(anchor, span, by);
    setAnchor(next);
    setDay(next);
  };
  return (
    <div className="calendar">
      <div className="calendar-main">
        <div className="calendar-bar">
          <Button
            onPress={() => {
              setAnchor(today);
              setDay(today);
            }}
          >
            Today
          </Button>
          <IconButton
            icon="chevronLeft"
            label={span === 'month' ? 'Previous month' : 'Previous week'}
            onPress={() => turn(-1)}
          />
          <IconButton
            icon="chevronRight"
            label={span === 'month' ? 'Next month' : 'Next week'}
            onPress={() => turn(1)}
          />
          <h2 className="calendar-title" aria-live="polite">
            {title}
          </h2>
          <div className="segments" role="group" aria-label="Range">
            {(['month', 'week'] as const).map((one) => (
              <button
                key={one}
                type="button"
                className="segment"
                aria-pressed={span === one}
                onClick={() => onSettings({ ...settings, span: one })}
              >
                {one === 'month' ? 'Month' : 'Week'}
              </button>
            ))}
          </div>
          {elsewhere && !carried && (
            <div className="view-elsewhere">
              <span role="status">{span === 'month' ? 'Nothing this month' : 'Nothing this week'}</span>
              <Button
                onPress={() => go(elsewhere.day)}
              >{`Go to ${span === 'month' ? heading(elsewhere.day, span, weekStart) : shortDay(elsewhere.day)}`}</Button>
            </div>
          )}
        </div>
        <p className="sr-only" id="calendar-keys">
          Enter opens the day's items, N adds one. Space lifts an item, arrow keys move it to another day.
        </p>
        <DayGrid
          ref={grid}
          label={title}
          table={table}
          tint={tint}
          weeks={weeks}
          weekStart={weekStart}
          month={span === 'month' ? anchor : null}
          today={today}
          day={day}
          placed={visible}
          carried={carried}
          wanted={wanted}
          onFound={() => setWanted(null)}
          onDay={setDay}
          onGo={go}
          onLift={lift}
          onCarry={carryTo}
          onLand={land}
          onPress={pointer.onPointerDown}
          onOpenItem={onOpenItem}
          onMore={setListed}
          onAdd={setAdding}
        />
      </div>
      <Undated
        table={table}
        rows={without}
        tint={tint}
        isTarget={carried !== null && carried.to === null && carried.from !== null}
        carriedItem={carried?.item ?? null}
        wanted={wanted && 'item' in wanted ? wanted.item : null}
        onFound={() => setWanted(null)}
        onLift={lift}
        onPress={pointer.onPointerDown}
        onOpenItem={onOpenItem}
      />
      {pointer.point && carried && (
        <div className="day-ghost" aria-hidden="true" style={{ left: pointer.point.x, top: pointer.point.y }}>
          {carried.name}
        </div>
      )}
      <span className="sr-only" role="status">
        {carrying.said}
      </span>
      {listed !== null && (
        <Dialog isOpen onClose={() => setListed(null)} title={fullDay(listed)}>
          <ul className="day-list">
            {onDay(listed).map(({ row, from, to }) => (
              <li key={row}>
                <button
                  type="button"
                  onClick={() => {
                    setListed(null);
                    onOpenItem(table.id(row), nameOf(row));
                  }}
                >
                  <span className="grid-text">{nameOf(row)}</span>
                  {from !== to && <span className="day-list-span">{formatSpan({ from, to })}</span>}
                </button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
      <NameDialog
        isOpen={adding !== null}
        onClose={() => setAdding(null)}
        title={adding === null ? '' : `Add an item on ${shortDay(adding)}`}
        action="Add item"
        initial=""
        onSave={async (name) => {
          const text = dayText(adding ?? today);
          const value = isSpan(placing.start) ? { from: text, to: text } : text;
          await moves.add(name, { cells: { [placing.start.id]: value } });
        }}
      />
    </div>
  );
}
