/**
 * What a view's settings hold, read with care. They are free JSON to the program, which any client may store; what has not
 * the shape that this page gave it is left out here, stays stored as it is, and keeps the page from nothing.
 */
import type { Filters } from '@shell/engine/types';
import type { ViewSettings } from './data';

type Map = Record<string, unknown>;
const isMap = (value: unknown): value is Map => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isMapOf = (is: (value: unknown) => boolean) => (value: unknown) => isMap(value) && Object.values(value).every(is);
const isNumber = (value: unknown) => typeof value === 'number';

function isColumn(col: unknown): boolean {
  if (!isMap(col)) return false;
  if (col.by === 'title') return isText(col.title);
  return col.by === 'builtin' ? isText(col.name) : col.by === 'ids' && isMapOf(isTexts)(col.ids);
}

const isRule = (rule: unknown): boolean =>
  isMap(rule) && (rule.id === undefined || isText(rule.id)) && isText(rule.op) && isColumn(rule.col);
const isEntry = (entry: unknown): boolean =>
  isMap(entry) && 'any' in entry ? Array.isArray(entry.any) && entry.any.every(isRule) : isRule(entry);

/** Rules have an id here, by which the bar tells them apart; one that has none is known by its place. */
function withIds(entries: readonly unknown[], at = 'at'): unknown[] {
  return (entries as Map[]).map((entry, i) =>
    'any' in entry ? { ...entry, any: withIds(entry.any as unknown[], `${at}-${i}`) } : { id: `${at}-${i}`, ...entry },
  );
}

/** The filter as the bar shows it and the engine takes it; what may be left out is there. `null` where it is none. */
function filterOf(filter: unknown): Filters | null {
  if (!isMap(filter)) return null;
  const { people = null, all = [] } = filter;
  if (!Array.isArray(all) || !all.every(isEntry) || !(people === null || isMap(people))) return null;
  const { ids = [], teams = [] } = people ?? {};
  return isTexts(ids) && isTexts(teams)
    ? { v: 1, people: people && { ids, teams }, all: withIds(all) as Filters['all'] }
    : null;
}

const SHAPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  hiddenColumns: isTexts,
  sort: (value) => Array.isArray(value) && value.every((step) => isMap(step) && isText(step.columnId)),
  widths: isMapOf(isNumber),
  columnOrder: isTexts,
  frozen: isText,
  foldedGroups: isTexts,
  columnTotals: isMapOf(isText),
  byColumn: isText,
  dateColumn: isText,
  endColumn: isText,
  limits: isMapOf(isNumber),
  folded: isTexts,
  cardFields: isTexts,
  span: (value) => value === 'month' || value === 'week',
  zoom: (value) => value === 'day' || value === 'week' || value === 'month',
};

/** Settings that were read, so that the same ones stay the same object. */
const known = new WeakMap<object, ViewSettings>();

/** What of the settings this page can work with. */
export function readable(stored: ViewSettings): ViewSettings {
  let settings = known.get(stored);
  if (!settings) {
    const { filter, ...others } = stored as Map;
    const read = filter === undefined ? null : filterOf(filter);
    settings = {
      ...Object.fromEntries(
        Object.entries(others).filter(([key, value]) => !Object.hasOwn(SHAPES, key) || SHAPES[key]!(value)),
      ),
      ...(read && { filter: read }),
    };
    known.set(stored, settings);
  }
  return settings;
}

/** Whether a filter is stored that nothing can be chosen by. */
export const hasUnreadFilter = (stored: ViewSettings): boolean =>
  stored.filter !== undefined && readable(stored).filter === undefined;
