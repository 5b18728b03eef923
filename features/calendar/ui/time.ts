/**
 * Time zones. A wall time is what a clock in a zone shows, in milliseconds as if that were UTC. Days are counted from
 * 1 January 1970.
 */
import { DAY_MS, MINUTE_MS } from '@shell/dates';

export const DAY_MINUTES = 1440;

/** A time zone. */
export interface Zone {
  name: string;
  /** Milliseconds that its clocks are ahead of UTC at an instant. */
  offset: (instant: number) => number;
}

/** Offsets change at quarters of an hour only, so those found before are used again. */
const QUARTER_MS = 15 * MINUTE_MS;
const OFFSETS_MAX = 20_000;

const zones = new Map<string, Zone>();

/** A zone by its IANA name; null if the browser doesn't know it. */
export function zoneOf(name: string): Zone | null {
  const known = zones.get(name);
  if (known) return known;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'iso8601',
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  } catch {
    return null;
  }
  const found = new Map<number, number>();
  const read = (instant: number) => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(instant)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  };
  const zone: Zone = {
    name,
    offset: (instant) => {
      const quarter = Math.floor(instant / QUARTER_MS);
      let offset = found.get(quarter);
      if (offset === undefined) {
        if (found.size >= OFFSETS_MAX) found.clear();
        found.set(quarter, (offset = read(quarter * QUARTER_MS)));
      }
      return offset;
    },
  };
  zones.set(name, zone);
  return zone;
}

/** The browser's zone. */
export const HERE: Zone = {
  name: Intl.DateTimeFormat().resolvedOptions().timeZone,
  offset: (instant) => -new Date(instant).getTimezoneOffset() * MINUTE_MS,
};

export const wallOf = (instant: number, zone: Zone): number => instant + zone.offset(instant);

/** The instant of a wall time: the first of two, and after a gap if clocks skip it. */
export function instantOf(wall: number, zone: Zone): number {
  const before = wall - zone.offset(wall - DAY_MS);
  if (wallOf(before, zone) === wall) return before;
  const after = wall - zone.offset(wall + DAY_MS);
  return wallOf(after, zone) === wall ? after : before;
}

export const dayOf = (instant: number, zone: Zone): number => Math.floor(wallOf(instant, zone) / DAY_MS);

/** When a day begins. */
export const startOfDay = (day: number, zone: Zone): number => instantOf(day * DAY_MS, zone);

/** Minutes that a day has: 1,380 or 1,500 if clocks change. */
export const minutesOf = (day: number, zone: Zone): number =>
  (startOfDay(day + 1, zone) - startOfDay(day, zone)) / MINUTE_MS;

/** The same wall time some days and minutes later. */
export function moved(instant: number, days: number, minutes: number, zone: Zone): number {
  const shifted = days === 0 ? instant : instantOf(wallOf(instant, zone) + days * DAY_MS, zone);
  return shifted + minutes * MINUTE_MS;
}

/**
 * Rows of days beside each other. They're wall times; if the clocks of one day go back, its repeated minutes are rows
 * of their own, which other days lack. If they go forward, that day lacks the skipped ones.
 */
export interface Axis {
  minutes: number;
  /** The wall minute up to which rows are the same in all days. */
  foldAt: number;
  /** Minutes that are repeated. */
  fold: number;
  zone: Zone;
}

/** The axis of some days. */
export function axisOf(days: readonly number[], zone: Zone): Axis {
  for (const day of days) {
    const fold = minutesOf(day, zone) - DAY_MINUTES;
    if (fold <= 0) continue;
    let [low, high] = [startOfDay(day, zone), startOfDay(day + 1, zone) - MINUTE_MS];
    const first = zone.offset(low);
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (zone.offset(middle) === first) low = middle;
      else high = middle;
    }
    return { minutes: DAY_MINUTES + fold, foldAt: (high - startOfDay(day, zone)) / MINUTE_MS, fold, zone };
  }
  return { minutes: DAY_MINUTES, foldAt: DAY_MINUTES, fold: 0, zone };
}

const hasFold = (day: number, { fold, zone }: Axis) => fold > 0 && minutesOf(day, zone) > DAY_MINUTES;

/** The row of an instant in a day. */
export function rowOf(instant: number, day: number, axis: Axis): number {
  if (hasFold(day, axis)) return (instant - startOfDay(day, axis.zone)) / MINUTE_MS;
  const minute = (wallOf(instant, axis.zone) - day * DAY_MS) / MINUTE_MS;
  return axis.fold > 0 && minute >= axis.foldAt ? minute + axis.fold : minute;
}

/** The instant of a row in a day. */
export function instantAt(row: number, day: number, axis: Axis): number {
  if (hasFold(day, axis)) return startOfDay(day, axis.zone) + row * MINUTE_MS;
  const minute = axis.fold > 0 && row >= axis.foldAt ? Math.max(row - axis.fold, axis.foldAt) : row;
  return instantOf(day * DAY_MS + minute * MINUTE_MS, axis.zone);
}

/** The wall minute that a row is labeled with. */
export const labelOf = (row: number, { foldAt, fold }: Axis): number => (row < foldAt ? row : row - fold);

/** A span of rows that a day lacks, because clocks change; null if it has all. */
export function missingRows(day: number, axis: Axis): { from: number; to: number } | null {
  if (axis.fold > 0) return hasFold(day, axis) ? null : { from: axis.foldAt, to: axis.foldAt + axis.fold };
  const gap = DAY_MINUTES - minutesOf(day, axis.zone);
  if (gap <= 0) return null;
  const start = startOfDay(day, axis.zone);
  let [low, high] = [0, DAY_MINUTES - gap];
  // The first minute at which the wall is ahead of the time that passed.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (rowOf(start + middle * MINUTE_MS, day, axis) > middle) high = middle;
    else low = middle + 1;
  }
  return { from: low, to: low + gap };
}

const times = new Map<string, Intl.DateTimeFormat>();

/** `09:30`, or as the browser's language writes it. */
export function formatTime(instant: number, zone: Zone = HERE): string {
  let format = times.get(zone.name);
  if (!format)
    times.set(zone.name, (format = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: zone.name })));
  return format.format(instant);
}

const utc: Zone = { name: 'UTC', offset: () => 0 };

/** A minute of the day as a time. */
export const formatMinute = (minute: number): string => formatTime(minute * MINUTE_MS, utc);

const two = (number: number) => String(number).padStart(2, '0');

/** `09:30`, as fields have it. */
export function timeText(instant: number, zone: Zone): string {
  const minute = Math.floor((((wallOf(instant, zone) % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS);
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** `09:30` as minutes; null if it isn't a time. */
export function minuteOf(text: string): number | null {
  const [, hour, minute] = /^(\d\d):(\d\d)/.exec(text) ?? [];
  return hour === undefined ? null : Number(hour) * 60 + Number(minute);
}

/** An instant as the API has it. */
export const instantText = (instant: number): string => new Date(instant).toISOString().replace('.000Z', 'Z');
