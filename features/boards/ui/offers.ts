/**
 * Messages with an Undo. Each knows what its change left, and goes when that no longer stands: because it was taken back
 * elsewhere, or because something later is in the way of taking it back.
 */
import { reasonOf } from '@shell/api';
import { toast } from '@shell/components';
import { onEvent } from '@shell/live';
import type { Made } from './outbox/history';
import type { BoardTable } from './table';

/** What a change left of a board, as plain data; it stands for as long as this reads the same. */
type Left = (table: BoardTable) => unknown;

interface Offer {
  board: string;
  /** Before this revision the board does not show the change yet. */
  revision: number;
  left: Left;
  /** What `left` reads while the change stands, as text; where it is not known, what it read first. */
  stands: string | undefined;
  wasSeen: boolean;
  close: () => void;
}

/** What of a board is watched. Without a revision, `stands` says what there is to read once the change is there. */
type Change = { board: string; left: Left } & ({ revision: number } | { stands: unknown });

const offers = new Set<Offer>();
/** The board in view as it was last seen. */
let seen: BoardTable | null = null;

/** Looks at the board in view, or that there is none; messages whose change no longer stands go. */
export function look(table: BoardTable | null): void {
  seen = table;
  if (table) for (const offer of [...offers]) check(offer, table);
}

function check(offer: Offer, table: BoardTable): void {
  const { id, revision } = table.meta.board;
  if (offer.board !== id || revision < offer.revision) return;
  const now = JSON.stringify(offer.left(table) ?? null);
  offer.stands ??= now;
  if (offer.stands === now) offer.wasSeen = true;
  else if (offer.wasSeen) offer.close();
}

/** Says what was done to the board in view, with what takes it back. */
export function offerUndo(title: string, change: Change, undo: () => void | Promise<void>): void {
  const { board, left } = change;
  const known = 'stands' in change ? { revision: 0, stands: JSON.stringify(change.stands) } : { revision: change.revision, stands: undefined };
  const offer: Offer = { board, left, ...known, wasSeen: false, close: () => undefined };
  offer.close = toast.done(title, { undo, onClose: () => offers.delete(offer) });
  offers.add(offer);
  if (seen) check(offer, seen);
}

/** The same for a step of the person's, once it is made. */
export function offerStep(title: string, made: Made | null, takeBack: (made: Made) => void): void {
  void made?.revision.then((revision) => {
    // What was refused says so itself and stands as it was.
    if (revision !== null) offerUndo(title, { board: made.board, revision, left: leftBy(made) }, () => takeBack(made));
  });
}

const leftBy =
  ({ parts: { cells = [], add = [], archive = [], remove = [] } }: Made): Left =>
  (table) => [cells.map(({ item, column }) => heldIn(table, item, column)), [...add.map(({ id }) => id), ...archive, ...remove].map((item) => table.row(item) !== undefined)];

/** What an item holds in a column, or in what else changes are recorded of. */
export function heldIn(table: BoardTable, item: string, field: string): unknown {
  const row = table.row(item);
  if (row === undefined) return 'gone';
  if (field === 'groupId') return table.group(row);
  if (field === 'parentId') return table.parent(row);
  return field === 'name' || table.meta.columns.some((column) => column.id === field) ? table.cell(row, field) : null;
}

/** Says that a board was put away, until it is back. */
export function offerBoard(title: string, board: string, undo: () => Promise<unknown>): void {
  const stop = onEvent<{ boardId: string }>('board-changed', ({ boardId }) => boardId === board && close());
  const close = toast.done(title, { undo: () => told(undo), onClose: stop });
}

/** Takes something back; why not, is said. */
async function told(undo: () => Promise<unknown>): Promise<void> {
  try {
    await undo();
  } catch (failure) {
    toast.problem('It was not brought back', new Error(reasonOf(failure)));
  }
}
