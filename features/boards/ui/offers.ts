/**
 * Undo messages. Each knows the result of its change and closes when that is no longer in place, because it was undone
 * elsewhere or a later change conflicts.
 */
import { reasonOf } from '@shell/api';
import { toast } from '@shell/components';
import { onEvent } from '@shell/live';
import type { Board } from './data';
import type { Made } from './outbox/history';
import { PARENT, PLACE } from './places';
import type { BoardTable } from './table';
import type { View } from './views/data';

/** The watched part of a board. Without a revision, `stands` is the value to expect after the change. */
type Change = { board: string; left: Left } & ({ revision: number } | { stands: unknown });
/** A change's result on a board as plain data; the message stays while it reads the same. */
type Left = (table: BoardTable) => unknown;

/** Checks whether each message's change is still in place. */
const checks = new Set<() => void>();
/** The board in view as it was last seen, and its views. */
let seen: BoardTable | null = null;
let seenViews: { board: string; views: readonly View[]; open: string } | null = null;

/** Checks the open board, or its absence, and closes outdated messages. */
export function look(table: BoardTable | null): void {
  seen = table;
  for (const check of [...checks]) check();
}

/** The same of its views, and of which one is open. */
export function lookAtViews(now: typeof seenViews): void {
  seenViews = now;
  for (const check of [...checks]) check();
}

/** Whether a view is the one in view. */
export const isOpen = (view: string): boolean => seenViews?.open === view;

/**
 * Shows a message until `left` no longer reads as `stands` (by default its first value). `left` reads `undefined`
 * before the change is visible and while its board isn't open.
 */
function offer(title: string, left: () => unknown, stands: unknown, undo: () => void | Promise<void>): void {
  let known = stands === undefined ? undefined : JSON.stringify(stands);
  let wasSeen = false;
  const check = () => {
    const now = JSON.stringify(left());
    if (now === undefined) return;
    known ??= now;
    if (known === now) wasSeen = true;
    else if (wasSeen) close();
  };
  // Three items that are moved one after the other are said as one; `Moved`, `Deleted` and `Renamed` are kinds of their own.
  const [kind = ''] = title.split(' ');
  const close = toast.done(title, { undo, kind, onClose: () => checks.delete(check) });
  checks.add(check);
  check();
}

/** Shows a message with Undo for a change of the open board. */
export function offerUndo(title: string, change: Change, undo: () => void | Promise<void>): void {
  const { board, left } = change;
  const [revision, stands] = 'stands' in change ? [0, change.stands] : [change.revision, undefined];
  const isThere = ({ id, revision: now }: Board) => id === board && now >= revision;
  offer(title, () => (seen && isThere(seen.meta.board) ? (left(seen) ?? null) : undefined), stands, undo);
}

/** Shows a message for a renamed or deleted view. */
export function offerView(
  title: string,
  board: string,
  view: string,
  stands: { name: string } | 'deleted',
  undo: () => void | Promise<void>,
): void {
  const left = () => {
    if (seenViews?.board !== board) return undefined;
    const found = seenViews.views.find(({ id }) => id === view);
    return found ? { name: found.name } : 'deleted';
  };
  offer(title, left, stands, undo);
}

/** The same for a step of the person's, once it is made. */
export function offerStep(title: string, made: Made | null, takeBack: (made: Made) => void): void {
  void made?.revision.then((revision) => {
    // What was refused says so itself; where all was so already there is nothing to take back.
    if (typeof revision === 'number')
      offerUndo(title, { board: made.board, revision, left: leftBy(made) }, () => takeBack(made));
  });
}

const leftBy =
  ({ parts: { cells = [], add = [], archive = [], remove = [] } }: Made): Left =>
  (table) => [
    cells.map(({ item, column }) => heldIn(table, item, column)),
    [...add.map(({ id }) => id), ...archive, ...remove].map((item) => table.row(item) !== undefined),
  ];

/** An item's value of a column or of another recorded field. */
export function heldIn(table: BoardTable, item: string, field: string): unknown {
  const row = table.row(item);
  if (row === undefined) return 'gone';
  if (field === 'groupId') return table.group(row);
  if (field === PARENT) return table.parent(row);
  if (field === PLACE) return table.standsBehind(item);
  return field === 'name' || table.meta.columns.some((column) => column.id === field) ? table.cell(row, field) : null;
}

/** Shows a message for an archived or deleted board until it's restored. */
export function offerBoard(title: string, board: string, undo: () => Promise<unknown>): void {
  const stop = onEvent<{ boardId: string }>('board-changed', ({ boardId }) => boardId === board && close());
  const close = toast.done(title, { undo: () => withReason(undo), onClose: stop });
}

/** Undoes an action and shows why if it fails. */
async function withReason(undo: () => Promise<unknown>): Promise<void> {
  try {
    await undo();
  } catch (failure) {
    toast.problem("Couldn't restore", new Error(reasonOf(failure)));
  }
}
