/**
 * A step on a board: changed cells and added, archived, or deleted items, as one request and one undo. Includes the
 * previous values of cells, so that nobody else's edits are overwritten unseen.
 */
import { CELLS_PER_CHANGE_MAX } from '@shell/gen/limits';
import type { CellValue } from '../data';
import type { Actor } from '../discussion';
import { PARENT, PLACE } from '../places';

/** A cell that changes; `name`, `groupId`, the parent and the place (see places.ts) are columns as well. */
export interface CellChange {
  item: string;
  column: string;
  before: CellValue;
  after: CellValue;
}

/** An item to be added, under an id of its own, so that sending it twice does no harm. */
export interface NewItem {
  id: string;
  name: string;
  groupId?: string;
  /** The item that it is a subitem of. */
  parentId?: string;
  cells: Record<string, CellValue>;
}

/** The current value that conflicts with the one seen. */
export interface Conflict {
  item: string;
  /** What the item is called. */
  name: string;
  /** A column, or `kept` where the item is put away. */
  column: string;
  mine: CellValue;
  theirs: CellValue;
  by?: Actor;
  at?: string;
}

/** Why a step wasn't saved; `stands` is the revision of a comment that was changed elsewhere during your edit. */
export type Problem = { conflicts: readonly Conflict[] } | { refused: string; stands?: number };

/** A new, edited, or deleted comment. */
export interface Said {
  way: 'add' | 'edit' | 'delete';
  item: string;
  comment: string;
  text: string;
  /** What an edit was made of. */
  revision: number;
}

export interface Step {
  board: string;
  /** Steps are sent in the order of these, and known by them. */
  at: number;
  /** The program knows it by this when it is sent again. What was kept by an older page has none. */
  id?: string;
  cells: readonly CellChange[];
  add: readonly NewItem[];
  archive: readonly string[];
  remove: readonly string[];
  /** What is said of an item. Such a step is of nothing else. */
  said?: Said;
  /** What the items are called, to name them when they are gone. */
  names: Readonly<Record<string, string>>;
  /** Of which step that is too large for one request it is a piece. */
  large?: number;
  problem?: Problem;
  /** It may have arrived and was taken back since: it is sent again to learn as what, and taken back then. */
  isUndone?: true;
}

/** Part of a step: moves an item between two others; an empty ID means none. */
export const beside = (item: string, after: readonly [behind: string, ahead: string]): CellChange => ({
  item,
  column: PLACE,
  before: null,
  after: [...after],
});

/** Parts of a step. */
export type Parts = Partial<Pick<Step, 'cells' | 'add' | 'archive' | 'remove'>>;

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 16;
/** Bits below the time. */
const LOW_BITS = 36n;

/** An id for a new item or a step: it sorts by the time it was made, as those that the program makes. */
export function newId(now = Date.now(), random = crypto.getRandomValues(new Uint32Array(2))): string {
  const low = ((BigInt(random[0]!) << 32n) | BigInt(random[1]!)) & ((1n << (LOW_BITS - 1n)) - 1n);
  const number = (BigInt(now) << LOW_BITS) | low;
  return Array.from(
    { length: ID_LENGTH },
    (_, at) => LETTERS[Number((number >> BigInt(5 * (ID_LENGTH - 1 - at))) & 31n)],
  ).join('');
}

interface SentItem {
  itemId: string;
  name?: string;
  groupId?: string;
  parentId?: string | null;
  after?: string;
  before?: string;
  cells: Record<string, CellValue>;
  was: Record<string, CellValue>;
}

/** The step as `PATCH /boards/:id/cells` takes it. */
export function bodyOf({ id, cells, add, archive, remove }: Step) {
  const items = new Map<string, SentItem>();
  for (const { item, column, before, after } of cells) {
    const of = items.get(item) ?? { itemId: item, cells: {}, was: {} };
    items.set(item, of);
    if (column === PLACE) {
      // Whoever moves it last has put it there: what it stood beside before is no matter.
      const [behind, ahead] = after as string[];
      if (behind) of.after = behind;
      if (ahead) of.before = ahead;
      continue;
    }
    if (column === 'name') of.name = String(after ?? '');
    else if (column === 'groupId') of.groupId = String(after ?? '');
    else if (column === PARENT) of.parentId = after as string | null;
    else of.cells[column] = after;
    of.was[column] = before;
  }
  return {
    items: [...items.values()],
    add: [...add],
    archive: [...archive],
    delete: [...remove],
    ...(id === undefined ? {} : { stepId: id }),
  };
}

/** All items that a step changes, and the new parents of items; for comments, the comment. */
const itemsOfStep = ({ cells, add, archive, remove, said }: Step): string[] =>
  said
    ? [said.comment]
    : [
        ...cells.flatMap(({ item, column, after }) =>
          column === PARENT && typeof after === 'string' ? [item, after] : [item],
        ),
        ...add.flatMap(({ id, parentId }) => [id, ...(parentId === undefined ? [] : [parentId])]),
        ...archive,
        ...remove,
      ];

/** Comments wait for an item that is to be made, and for no other change of it. */
const made = (item: string) => `made/${item}`;

/** How many items a step is about. */
export const rowsOf = ({ cells = [], add = [], archive = [], remove = [] }: Parts): number =>
  new Set(cells.map(({ item }) => item)).size + add.length + archive.length + remove.length;

/** Maximum bytes of a request's items, below the server's limit. */
const PIECE_BYTES = 6 * 1024 * 1024;
/** Bytes of an item's and of a value's own marks in a request, at most. */
const [ITEM_BYTES, VALUE_BYTES] = [80, 20];
const encoder = new TextEncoder();
const bytesOf = (value: unknown) => VALUE_BYTES + encoder.encode(JSON.stringify(value) ?? '').length;

/** A step as pieces that the program takes in one request each, items whole and in their order. */
export function piecesOf({ cells = [], add = [], archive = [], remove = [] }: Parts): Parts[] {
  const pieces: Required<Parts>[] = [];
  let [count, bytes] = [0, 0];
  const into = (more: number, size: number): Required<Parts> => {
    count += more;
    bytes += size;
    if (pieces.length === 0 || count > CELLS_PER_CHANGE_MAX || bytes > PIECE_BYTES) {
      pieces.push({ cells: [], add: [], archive: [], remove: [] });
      [count, bytes] = [more, size];
    }
    return pieces.at(-1)!;
  };
  const put = <Name extends keyof Parts>(name: Name, entries: Required<Parts>[Name], more: number, size: number) =>
    (into(more, size)[name] as unknown[]).push(...entries);
  const byItem = new Map<string, CellChange[]>();
  for (const cell of cells) {
    const of = byItem.get(cell.item);
    if (of) of.push(cell);
    else byItem.set(cell.item, [cell]);
  }
  const size = (of: readonly CellChange[]) =>
    of.reduce((sum, { before, after }) => sum + bytesOf(before) + bytesOf(after), ITEM_BYTES);
  for (const of of byItem.values()) put('cells', of, of.length, size(of));
  for (const item of add) put('add', [item], 1 + Object.keys(item.cells).length, ITEM_BYTES + bytesOf(item));
  for (const item of archive) put('archive', [item], 1, ITEM_BYTES);
  for (const item of remove) put('remove', [item], 1, ITEM_BYTES);
  return pieces;
}

/** Pieces as one step again. */
export const joined = (pieces: readonly Parts[]): Parts => ({
  cells: pieces.flatMap(({ cells = [] }) => cells),
  add: pieces.flatMap(({ add = [] }) => add),
  archive: pieces.flatMap(({ archive = [] }) => archive),
  remove: pieces.flatMap(({ remove = [] }) => remove),
});

export const isEmpty = ({ cells, add, archive, remove, said }: Step): boolean =>
  !said && cells.length + add.length + archive.length + remove.length === 0;

/** Steps that wait for a decision, and those behind them that are about the same items: these wait with them. */
export function heldIn(steps: readonly Step[]): ReadonlySet<Step> {
  const held = new Set<Step>();
  const items = new Set<string>();
  for (const step of steps) {
    if (!step.problem && items.size === 0) continue;
    const own = itemsOfStep(step);
    const waitsFor = step.said ? [...own, made(step.said.item)] : own;
    if (!step.problem && !waitsFor.some((item) => items.has(item))) continue;
    held.add(step);
    for (const item of [...own, ...step.add.map(({ id }) => made(id))]) items.add(item);
  }
  return held;
}

/** The first step that can be sent. */
export function nextOf(steps: readonly Step[]): Step | undefined {
  const held = heldIn(steps);
  return steps.find((step) => !held.has(step));
}

const isOf = (conflict: Conflict) => (cell: CellChange) =>
  cell.item === conflict.item && (conflict.column === 'kept' || cell.column === conflict.column);

/** The steps after some of one step's conflicts are resolved. Empty steps are removed. */
export function decided(
  steps: readonly Step[],
  at: number,
  conflicts: readonly Conflict[],
  keep: 'mine' | 'theirs',
): Step[] {
  const isDecided = (cell: CellChange) => conflicts.find((one) => isOf(one)(cell));
  const place = steps.findIndex((step) => step.at === at);
  return steps.flatMap((step, index) => {
    if (index < place || place < 0) return step;
    // Later values of the same cell were written over the one that is given up.
    if (index > place && keep === 'mine') return step;
    const cells = step.cells.flatMap((cell): CellChange[] => {
      const conflict = isDecided(cell);
      if (!conflict) return [cell];
      // An item that is gone takes no value.
      return keep === 'mine' && conflict.column !== 'kept' ? [{ ...cell, before: conflict.theirs }] : [];
    });
    const { problem, ...rest } = step;
    const left =
      problem && 'conflicts' in problem && index === place
        ? problem.conflicts.filter(
            (one) => !conflicts.some(({ item, column }) => item === one.item && column === one.column),
          )
        : [];
    const stays = index === place ? left.length > 0 : problem !== undefined;
    const next: Step = {
      ...rest,
      cells,
      ...(stays ? { problem: index === place ? { conflicts: left } : problem! } : {}),
    };
    return isEmpty(next) ? [] : [next];
  });
}
