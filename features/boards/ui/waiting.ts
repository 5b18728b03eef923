/**
 * Edits that the program does not have yet because it did not answer. They are kept in this browser, over a reload of the
 * page, and sent in their order when it is back.
 *
 * An edit is sent only while the cell holds what was seen when it was made, at the revision that was just looked at: sending
 * twice what was saved already changes nothing, and what someone else wrote meanwhile is never overwritten unasked.
 */
import { api, ApiError } from '@shell/api';
import { keptRecords } from '@shell/kept';
import { change, type CellValue, type WrittenItem } from './data';
import type { Changed } from './table';

/** A cell that was edited while the program did not answer. */
export interface WaitingEdit {
  board: string;
  item: string;
  column: string;
  /** What the cell held when it was edited, at this revision of the board. */
  was: CellValue;
  revision: number;
  value: CellValue;
  /** What the item was called, to name it when it is gone. */
  name: string;
  /** Edits are sent in the order of these. */
  at: number;
  /** Why it was not taken: someone else changed the cell (`current` is what it holds), or the program refused the value. */
  problem?: { current: CellValue } | { refused: string };
}

/** What came of sending an edit. */
export type Outcome = { saved: CellValue; revision: number } | { away: true } | { current: CellValue; revision: number } | { refused: string };

const keyOf = ({ board, item, column }: Pick<WaitingEdit, 'board' | 'item' | 'column'>) => `${board}/${item}/${column}`;

/** Adds an edit to those that wait. One of the same cell takes its place in the order, and what was seen first stays. */
export function withEdit(waiting: readonly WaitingEdit[], edit: WaitingEdit): WaitingEdit[] {
  const before = waiting.find((other) => keyOf(other) === keyOf(edit));
  if (!before) return [...waiting, edit];
  const { was, revision, at } = before;
  return waiting.map((other) => (other === before ? { ...edit, was, revision, at } : other));
}

/** What the program is asked. */
export interface Ports {
  changed(board: string, since: number): Promise<Changed>;
  write(edit: WaitingEdit, revision: number): Promise<WrittenItem>;
}

const program: Ports = {
  changed: (board, since) => api.get(`/boards/${board}/changed?since=${since}`),
  write: ({ board, item, column, value }, revision) =>
    column === 'name' ? change.rename(board, item, String(value ?? ''), { ifMatch: `"${revision}"` }) : change.cell(board, item, column, value, { ifMatch: `"${revision}"` }),
};

/** Others may write to the board between looking and writing; so often it is looked at again. */
const TRIES_MAX = 8;

const same = (a: CellValue, b: CellValue) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Sends one edit. */
export async function send(edit: WaitingEdit, ports: Ports = program): Promise<Outcome> {
  try {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const changed = await ports.changed(edit.board, edit.revision);
      if (changed.reload) return { refused: 'The board has changed too much since to tell what the cell held.' };
      if (changed.removed.includes(edit.item)) return { refused: 'The item was deleted.' };
      const item = changed.items.find((one) => one.id === edit.item);
      const current = item ? (edit.column === 'name' ? item.name : (item.cells[edit.column] ?? null)) : edit.was;
      // The answer to it was lost.
      if (item && same(current, edit.value)) return { saved: current, revision: changed.board.revision };
      if (!same(current, edit.was)) return { current, revision: changed.board.revision };
      try {
        const saved = await ports.write(edit, changed.board.revision);
        return { saved: edit.column === 'name' ? saved.name : (saved.cells[edit.column] ?? null), revision: saved.boardRevision };
      } catch (failure) {
        if (!(failure instanceof ApiError) || failure.status !== 412) throw failure;
      }
    }
    return { away: true };
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    // Silence, and what may be over the next time.
    if (failure.status === 0 || failure.status === 401 || failure.status >= 500) return { away: true };
    return { refused: failure.reasonAt('/value') };
  }
}

/** Where the browser keeps nothing (a private window), edits wait as long as the page lives. */
const records = keptRecords<WaitingEdit>('pilothouse-boards', 'edits');

/** Edits of a board that this browser keeps, in their order. */
export async function kept(board: string): Promise<WaitingEdit[]> {
  const all = await records.all();
  return all.filter((edit) => edit.board === board).sort((a, b) => a.at - b.at);
}

/** Keeps an edit. */
export const keep = (edit: WaitingEdit) => records.write(keyOf(edit), edit);

/** Lets go of an edit. */
export const forget = (edit: WaitingEdit) => records.remove(keyOf(edit));
