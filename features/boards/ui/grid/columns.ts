/** The columns of a table as a view shows them: which, in which order, how wide, and which stay in view. */
import type { Column } from '../data';
import type { ViewSettings } from '../view';

/** The items' names: a column like the others, but always the first and always in view. */
export const NAME: Column = { id: 'name', title: 'Name', type: 'text', settings: {} };
/** The rows' heads, left of the names. */
export const GUTTER_PX = 40;
export const WIDTH_MIN = 60;
export const WIDTH_MAX = 1200;
const NAME_PX = 280;

export interface ShownColumn {
  column: Column;
  width: number;
  /** Where it stays while the others scroll, from the left; `null` where it scrolls. */
  left: number | null;
}

const usualWidth = (column: Column): number => {
  if (column.id === NAME.id) return NAME_PX;
  switch (column.type) {
    case 'longText':
    case 'link':
      return 240;
    case 'timeline':
    case 'file':
    case 'itemLink':
    case 'sprint':
    case 'createdAt':
    case 'updatedAt':
      return 200;
    case 'text':
    case 'tags':
    case 'people':
    case 'email':
      return 180;
    case 'checkbox':
    case 'rating':
      return 96;
    default:
      return 136;
  }
};

/** Limits a width to the allowed range. */
export const fitting = (width: number) => Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width)));

/** A board's columns in the view's order, those that it hides among them. */
export function orderedColumns(columns: readonly Column[], order: readonly string[] = []): Column[] {
  const named = order.flatMap((id) => columns.find((column) => column.id === id) ?? []);
  return [...new Set(named), ...columns.filter((column) => !order.includes(column.id))];
}

/** A view's column settings. */
type ColumnsShown = { [Key in 'hiddenColumns' | 'columnOrder' | 'widths' | 'frozen']?: ViewSettings[Key] | undefined };

/** The visible columns of a table, with the name first. */
export function shownColumns(columns: readonly Column[], settings: ColumnsShown): ShownColumn[] {
  const hidden = settings.hiddenColumns ?? [];
  const shown = [
    NAME,
    ...orderedColumns(columns, settings.columnOrder).filter((column) => !hidden.includes(column.id)),
  ];
  const frozen = shown.findIndex((column) => column.id === settings.frozen);
  let left = GUTTER_PX;
  return shown.map((column, at) => {
    const width = fitting(settings.widths?.[column.id] ?? usualWidth(column));
    const place = at <= Math.max(frozen, 0) ? left : null;
    left += width;
    return { column, width, left: place };
  });
}

/** The view's order after a column was moved by so many places among those that are shown. */
export function movedColumn(columns: readonly Column[], settings: ColumnsShown, id: string, by: number): string[] {
  const shown = shownColumns(columns, settings)
    .slice(1)
    .map(({ column }) => column.id);
  const from = shown.indexOf(id);
  const to = Math.min(shown.length - 1, Math.max(0, from + by));
  const order = orderedColumns(columns, settings.columnOrder).map((column) => column.id);
  if (from < 0 || to === from) return order;
  const rest = order.filter((one) => one !== id);
  const beside = rest.indexOf(shown[to]!);
  rest.splice(to > from ? beside + 1 : beside, 0, id);
  return rest;
}
