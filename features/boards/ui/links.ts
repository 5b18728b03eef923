/**
 * Derived cells: names of linked items, mirrored values, and when and by whom an item was created and changed. The
 * server sends the data of linked boards once, beside the items.
 */
import type { Schemas } from '@shell/client';
import { FORMER, namesOf, type Member } from '@shell/members';
import { isList, KIND_NAMES, shownAs, type CellValue, type Column, type Group } from './data';
import { show } from './format';

/** An item that cells link to, as far as it is shown. */
export type LinkedItem = Pick<Schemas['LinkedItem'], 'id' | 'name'> & {
  /** Its days as a sprint, by the sprint column that shows them. */
  days?: Schemas['LinkedItem']['days'];
  /** What it holds in the columns that are mirrored. */
  cells?: Readonly<Record<string, CellValue>>;
};

/** Displayed data of a linked board. */
export type LinkedBoard = Pick<Schemas['LinkedBoard'], 'boardId'> & { columns: Column[]; items: LinkedItem[] };

/** Changes to the data of linked boards. */
export interface Relinked {
  linked: readonly (LinkedBoard & Pick<Schemas['LinkedChange'], 'removed' | 'whole'>)[];
  /** The linked boards that are there, each with what names it when changes are asked for. */
  linkedAt: Readonly<Record<string, string>>;
}

/** Data that accompanies a board's items. */
export interface Described {
  board: { id: string };
  groups: Group[];
  columns: Column[];
  members: Member[];
  linked?: readonly LinkedBoard[];
}

/** An item's fields about who changed it. */
type Recorded = Pick<Schemas['ItemRecord'], 'id' | 'createdBy' | 'updatedBy'> &
  Partial<Pick<Schemas['ItemRecord'], 'createdAt' | 'updatedAt'>> & { cells: Readonly<Record<string, CellValue>> };

/** Linked items by id, by column. Not a part of the column, which is handed around as data. */
const byColumn = new WeakMap<Column, ReadonlyMap<string, LinkedItem>>();

/** Whether cells of the column hold ids of items. */
export const isLink = (column: Column): boolean => column.type === 'itemLink' || column.type === 'sprint';

/** The ids that an editor of links holds as text. */
export const idsOf = (draft: string): string[] => draft.split(' ').filter((id) => id !== '');

/** The linked items of a column that are still there. */
export const linkedItems = (column: Column): ReadonlyMap<string, LinkedItem> =>
  byColumn.get(column) ?? new Map<string, LinkedItem>();

/** Prepares a board's link and mirror columns for display. */
export function describeLinks(meta: Described): void {
  const boards = new Map(
    (meta.linked ?? []).map((board) => [board.boardId, new Map(board.items.map((item) => [item.id, item]))]),
  );
  for (const column of meta.columns) {
    if (isLink(column))
      byColumn.set(column, boards.get(column.settings.boardId ?? '') ?? new Map<string, LinkedItem>());
  }
}

/** Reads a cell of a column without cells of its own: from the item's other cells, its record as it changed, or the stream. */
export type Derived = (
  other: (column: string) => CellValue,
  changed: Recorded | undefined,
  read: CellValue,
) => CellValue;

const known = new WeakMap<Described, ReadonlyMap<string, Derived>>();

/** How the columns without cells of their own are read. */
export function derivedOf(meta: Described): ReadonlyMap<string, Derived> {
  let found = known.get(meta);
  if (!found) {
    found = new Map(meta.columns.flatMap((column) => derived(column, meta)));
    known.set(meta, found);
  }
  return found;
}

function derived(column: Column, meta: Described): [string, Derived][] {
  switch (column.type) {
    case 'createdAt':
    case 'updatedAt': {
      const { type } = column;
      return [
        [
          column.id,
          (_, changed, read) => changed?.[type] ?? (typeof read === 'number' ? new Date(read).toISOString() : null),
        ],
      ];
    }
    case 'createdBy':
    case 'updatedBy': {
      const { type } = column;
      // Records leave the owner out.
      return [[column.id, (_, changed, read) => (changed ? (changed[type] ?? 'owner') : read)]];
    }
    case 'mirror':
      return mirror(column, meta);
    default:
      return [];
  }
}

/** A board with mirrors, and data of linked boards. */
interface Mirrored {
  columns: readonly Column[];
  linked?: readonly LinkedBoard[] | undefined;
}

/** The existing parts of a mirror: the link column, the linked board, and the source column. */
function mirrored(mirror: Column, { columns, linked }: Mirrored) {
  const { linkColumn, sourceColumn } = mirror.settings;
  const link = columns.find((one) => one.id === linkColumn);
  const board = linked?.find((one) => one.boardId === link?.settings.boardId);
  const source = board?.columns.find((one) => one.id === sourceColumn);
  return { link, board, source };
}

/**
 * The column as rules see it: a formula by its result, a mirror by its source; `undefined` if that no longer exists.
 */
export const askedAs = (column: Column, meta: Mirrored): Column | undefined =>
  column.type === 'mirror' ? mirrored(column, meta).source : shownAs(column);

function mirror(column: Column, meta: Described): [string, Derived][] {
  const { link, board, source } = mirrored(column, meta);
  if (!link || !board || !source) return [[column.id, () => null]];
  const items = new Map(board.items.map((item) => [item.id, item]));
  return [
    [
      column.id,
      (other) => {
        const ids = other(link.id);
        const held = isList(ids) ? ids.map((id) => items.get(id)?.cells?.[source.id] ?? null) : [];
        const values = held.filter((value) => value !== null);
        return together(values, source, meta.members);
      },
    ],
  ];
}

/** Displayed value of several linked items; numbers are summed. */
function together(values: readonly CellValue[], source: Column, members: readonly Member[]): string | null {
  if (values.length === 0) return null;
  const isNumeric = values.every((value) => typeof value === 'number');
  if (isNumeric)
    return show(
      values.reduce<number>((sum, value) => sum + Number(value), 0),
      source,
      members,
    );
  if (source.type === 'checkbox') return values.includes(true) ? 'Yes' : 'No';
  return values.map((value) => show(value, source, members)).join(', ');
}

/** Name of an item's author. */
export const nameOf = (by: string, members: readonly Member[]): string =>
  namesOf(members).get(by) ?? KIND_NAMES[by] ?? FORMER;

/** Data of linked boards after a change; of newly shown items, only linked ones are added. */
export function relinked(
  held: readonly LinkedBoard[],
  { linked, linkedAt }: Relinked,
  isLinked: (item: string) => boolean,
): readonly LinkedBoard[] {
  const ids = Object.keys(linkedAt).sort();
  if (linked.length === 0 && ids.length === held.length) return held;
  return ids.flatMap((boardId) => {
    const before = held.find((board) => board.boardId === boardId);
    const change = linked.find((board) => board.boardId === boardId);
    if (!change) return before ?? [];
    const { columns, whole, removed } = change;
    const items = new Map((whole ? [] : (before?.items ?? [])).map((item) => [item.id, item]));
    for (const item of change.items) if (whole || items.has(item.id) || isLinked(item.id)) items.set(item.id, item);
    for (const id of removed) items.delete(id);
    return { boardId, columns, items: [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) };
  });
}
