/**
 * Validated settings of a view. The server stores them as free JSON from any client; members of an unexpected form are
 * ignored here but stay stored.
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

/** Adds missing IDs to rules, derived from their positions, because the bar identifies rules by ID. */
function withIds(entries: readonly unknown[], at = 'at'): unknown[] {
  return (entries as Map[]).map((entry, i) =>
    'any' in entry ? { ...entry, any: withIds(entry.any as unknown[], `${at}-${i}`) } : { id: `${at}-${i}`, ...entry },
  );
}

/** The filter with all optional members, as the bar and the engine expect it; `null` if invalid. */
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

/** The settings that this page supports. */
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
