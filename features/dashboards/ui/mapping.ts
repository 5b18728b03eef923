/**
 * Which column of each board plays which role. What a person chose stands in the widget's settings, an empty list meaning
 * "none of this board's"; for boards without a choice the engine finds the column and names it in its answer.
 */
import type { Cols } from '@shell/engine/types';
import { MORE, TWO } from '@shell/gen/titles';
import type { BoardInfo, Column } from './boards';
import { objectOf, type JsonObject } from './model';
import { filled } from './titles';

export type { Cols };

const fold = (title: string) => title.trim().toLocaleLowerCase();

/** The columns as they stand in settings, without what is no list of texts. */
export function chosenCols(settings: JsonObject): Cols {
  const cols: Cols = {};
  for (const [role, byBoard] of Object.entries(objectOf(settings.cols))) {
    const lists = Object.entries(objectOf(byBoard)).filter((entry): entry is [string, string[]] =>
      Array.isArray(entry[1]),
    );
    cols[role] = Object.fromEntries(lists.map(([board, ids]) => [board, ids.filter((id) => typeof id === 'string')]));
  }
  return cols;
}

/** Settings with a role's columns on one board chosen. */
export function chooseColumns(settings: JsonObject, role: string, boardId: string, columnIds: string[]): JsonObject {
  const cols = chosenCols(settings);
  return { ...settings, cols: { ...cols, [role]: { ...cols[role], [boardId]: columnIds } } };
}

/** Columns that play a role, in the boards' order. */
export const mappedColumns = (cols: Cols, role: string, boards: readonly BoardInfo[]): Column[] =>
  boards.flatMap((board) => board.columns.filter((column) => cols[role]?.[board.id]?.includes(column.id)));

/** What the columns of a role are called: all of it, so that no figure bears the name of one column alone. */
export function mappedTitle(cols: Cols, role: string, boards: readonly BoardInfo[]): string | undefined {
  const titles = new Map<string, string>();
  for (const { title } of mappedColumns(cols, role, boards))
    if (!titles.has(fold(title))) titles.set(fold(title), title.trim());
  const [first, ...others] = titles.values();
  if (first === undefined || !others.length) return first;
  return others.length === 1 ? filled(TWO, first, others[0] ?? '') : filled(MORE, first, `${others.length}`);
}
