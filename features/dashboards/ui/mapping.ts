/**
 * Which column of each board plays which role. What a person chose stands in the widget's settings, an empty list meaning
 * "none of this board's"; for boards without a choice the column is matched by type and title.
 */
import type { BoardInfo, Column } from './boards';
import type { JsonObject } from './model';

/** A part that a column plays in a widget. */
export interface Role {
  /** Member of `settings.cols`. */
  name: string;
  /** For people, such as `Number column`. */
  label: string;
  /** Types of column that can play it, the likeliest first. */
  types: readonly string[];
}

/** Columns by board. */
export type Mapping = Record<string, string[]>;

const fold = (title: string) => title.trim().toLocaleLowerCase();

/** The mapping of a role as it stands in settings, without what is no list of texts. */
export function chosenMapping(settings: JsonObject, role: string): Mapping {
  const cols = settings.cols;
  const entry = cols && typeof cols === 'object' && !Array.isArray(cols) ? cols[role] : null;
  if (!entry || typeof entry !== 'object' || Array.isArray(entry)) return {};
  const mapping: Mapping = {};
  for (const [boardId, ids] of Object.entries(entry)) {
    if (Array.isArray(ids)) mapping[boardId] = ids.filter((id) => typeof id === 'string');
  }
  return mapping;
}

const canPlay = (role: Role, board: BoardInfo) => board.columns.filter((column) => role.types.includes(column.type));

/** The column that the others are matched with: the first chosen one, else the likeliest of the first board that has one. */
function reference(role: Role, boards: readonly BoardInfo[], chosen: Mapping): Column | undefined {
  for (const board of boards) {
    const column = board.columns.find((one) => chosen[board.id]?.includes(one.id));
    if (column) return column;
  }
  for (const type of role.types) {
    for (const board of boards) {
      const column = chosen[board.id] ? undefined : board.columns.find((one) => one.type === type);
      if (column) return column;
    }
  }
  return undefined;
}

/** The mapping with a column for each board that has no choice yet and a matching column. */
export function matched(role: Role, boards: readonly BoardInfo[], chosen: Mapping): Mapping {
  const model = reference(role, boards, chosen);
  if (!model) return chosen;
  const mapping = { ...chosen };
  for (const board of boards) {
    if (chosen[board.id]) continue;
    const ofType = canPlay(role, board).filter((column) => column.type === model.type);
    const found = ofType.find((column) => fold(column.title) === fold(model.title)) ?? (ofType.length === 1 ? ofType[0] : undefined);
    if (found) mapping[board.id] = [found.id];
  }
  return mapping;
}

/** Settings in which every role has its columns. */
export function withMapping(roles: readonly Role[], settings: JsonObject, boards: readonly BoardInfo[]): JsonObject {
  if (!roles.length) return settings;
  const cols = settings.cols && typeof settings.cols === 'object' && !Array.isArray(settings.cols) ? settings.cols : {};
  const filled: JsonObject = { ...cols };
  for (const role of roles) filled[role.name] = matched(role, boards, chosenMapping(settings, role.name));
  return { ...settings, cols: filled };
}

/** Settings with one board's column chosen; null chooses none. */
export function chooseColumn(settings: JsonObject, role: string, boardId: string, columnId: string | null): JsonObject {
  const cols = settings.cols && typeof settings.cols === 'object' && !Array.isArray(settings.cols) ? settings.cols : {};
  return { ...settings, cols: { ...cols, [role]: { ...chosenMapping(settings, role), [boardId]: columnId === null ? [] : [columnId] } } };
}

/** Columns that are mapped, in the boards' order. */
export function mappedColumns(settings: JsonObject, role: string, boards: readonly BoardInfo[]): Column[] {
  const mapping = chosenMapping(settings, role);
  return boards.flatMap((board) => board.columns.filter((column) => mapping[board.id]?.includes(column.id)));
}

/** What the mapped columns are called: all of it, so that no figure bears the name of one column alone. */
export function mappedTitle(settings: JsonObject, role: string, boards: readonly BoardInfo[]): string | undefined {
  const titles = new Map<string, string>();
  for (const { title } of mappedColumns(settings, role, boards)) if (!titles.has(fold(title))) titles.set(fold(title), title.trim());
  const [first, ...others] = titles.values();
  if (first === undefined || !others.length) return first;
  return others.length === 1 ? `${first} and ${others[0]}` : `${first} and ${others.length} other columns`;
}
