/** Which columns a view can be by. */
import type { Column } from '../data';
import type { ViewKind, ViewSettings } from './data';

/** Kanban layout by group instead of by a column. */
export const BY_GROUP = 'group';

/** Columns whose labels can be stacks. */
export const stackColumns = (columns: readonly Column[]) =>
  columns.filter((column) => column.type === 'status' || column.type === 'dropdown');
/** Columns that place an item on days. */
export const dayColumns = (columns: readonly Column[]) =>
  columns.filter((column) => column.type === 'date' || isSpan(column));
/** Whether a column holds a beginning and an end. */
export const isSpan = (column: Pick<Column, 'type'>) => column.type === 'timeline';

/** Default settings of a new view. */
export function firstSettings(kind: ViewKind, columns: readonly Column[]): ViewSettings {
  if (kind === 'kanban') return { byColumn: stackColumns(columns)[0]?.id ?? BY_GROUP };
  if (kind === 'table') return {};
  const days = dayColumns(columns);
  const chosen = (kind === 'timeline' ? days.find(isSpan) : undefined) ?? days[0];
  if (!chosen) return {};
  // Two dates on one board are most often a beginning and an end.
  const end =
    kind === 'timeline' && !isSpan(chosen) ? days.find((column) => column !== chosen && !isSpan(column)) : undefined;
  return { dateColumn: chosen.id, ...(end ? { endColumn: end.id } : {}) };
}
