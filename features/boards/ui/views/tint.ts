import type { CSSProperties } from 'react';
import type { Column } from '../data';
import type { BoardTable } from '../table';

/**
 * The column whose labels color items on calendars and timelines: the first status column, otherwise the first with
 * labels.
 */
export const tintColumn = (columns: readonly Column[]): Column | undefined =>
  columns.find((column) => column.type === 'status') ?? columns.find((column) => column.type === 'dropdown');

/** An item's label, which sets its color. */
export function tintOf(
  table: BoardTable,
  row: number,
  column: Column | undefined,
): { style: CSSProperties; text: string } {
  const value = column && table.cell(row, column.id);
  const label = column?.settings.labels?.find((one) => one.id === value);
  return { style: (label?.color ? { '--tint': label.color } : {}) as CSSProperties, text: label?.text ?? '' };
}
