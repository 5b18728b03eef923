/**
 * One of the person's steps on a board: cells that change, items that are added, archived or deleted, all as one request and
 * one undo. What a cell held when it was seen goes along, so that nothing of someone else's is written over unseen.
 */
import type { CellValue } from '../data';
import type { Actor } from '../discussion';

/** A cell that changes; `name` and `groupId` are columns as well. */
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
  cells: Record<string, CellValue>;
}

/** What the program holds instead of what was seen. */
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

export type Problem = { conflicts: readonly Conflict[] } | { refused: string };

export interface Step {
  board: string;
  /** Steps are sent in the order of these, and known by them. */
  at: number;
  cells: readonly CellChange[];
  add: readonly NewItem[];
  archive: readonly string[];
  remove: readonly string[];
  /** What the items are called, to name them when they are gone. */
  names: Readonly<Record<string, string>>;
  problem?: Problem;
}

/** What a step is made of. */
export type Parts = Partial<Pick<Step, 'cells' | 'add' | 'archive' | 'remove'>>;

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 16;
/** Bits below the time. */
const LOW_BITS = 36n;

/** An id for a new item: it sorts by the time it was made, as those that the program makes. */
export function newId(now = Date.now(), random = crypto.getRandomValues(new Uint32Array(2))): string {
  const low = ((BigInt(random[0]!) << 32n) | BigInt(random[1]!)) & ((1n << (LOW_BITS - 1n)) - 1n);
  const number = (BigInt(now) << LOW_BITS) | low;
  return Array.from({ length: ID_LENGTH }, (_, at) => LETTERS[Number((number >> BigInt(5 * (ID_LENGTH - 1 - at))) & 31n)]).join('');
}

interface SentItem {
  itemId: string;
  name?: string;
  groupId?: string;
  cells: Record<string, CellValue>;
  was: Record<string, CellValue>;
}

/** The step as `PATCH /boards/:id/cells` takes it. */
export function bodyOf({ cells, add, archive, remove }: Step) {
  const items = new Map<string, SentItem>();
  for (const { item, column, before, after } of cells) {
    const of = items.get(item) ?? { itemId: item, cells: {}, was: {} };
    items.set(item, of);
    if (column === 'name') of.name = String(after ?? '');
    else if (column === 'groupId') of.groupId = String(after ?? '');
    else of.cells[column] = after;
    of.was[column] = before;
  }
  return { items: [...items.values()], add, archive, delete: remove };
}

/** Every item that a step is about. */
export const itemsOfStep = ({ cells, add, archive, remove }: Step): Set<string> => new Set([...cells.map(({ item }) => item), ...add.map(({ id }) => id), ...archive, ...remove]);

export const isEmpty = ({ cells, add, archive, remove }: Step): boolean => cells.length + add.length + archive.length + remove.length === 0;

/** The first step that can be sent: one behind a step that waits for a decision about the same item waits with it. */
export function nextOf(steps: readonly Step[]): Step | undefined {
  const held = new Set<string>();
  for (const step of steps) {
    const own = itemsOfStep(step);
    if (!step.problem && ![...own].some((item) => held.has(item))) return step;
    for (const item of own) held.add(item);
  }
  return undefined;
}

const isOf = (conflict: Conflict) => (cell: CellChange) => cell.item === conflict.item && (conflict.column === 'kept' || cell.column === conflict.column);

/** The steps after a decision about some of one step's conflicts. A step that comes to nothing goes. */
export function decided(steps: readonly Step[], at: number, conflicts: readonly Conflict[], keep: 'mine' | 'theirs'): Step[] {
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
    const left = problem && 'conflicts' in problem && index === place ? problem.conflicts.filter((one) => !conflicts.includes(one)) : [];
    const stays = index === place ? left.length > 0 : problem !== undefined;
    const next: Step = { ...rest, cells, ...(stays ? { problem: index === place ? { conflicts: left } : problem! } : {}) };
    return isEmpty(next) ? [] : [next];
  });
}
