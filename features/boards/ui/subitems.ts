/** Subitems: how far an item's are, and the requests that add, order and free them. */
import { client, type Schemas } from '@shell/client';
import { PAGE_MAX } from '@shell/gen/limits';
import { meansDone, type Column } from './data';
import { boxOf } from './outbox/box';
import { did } from './outbox/did';
import { newId, type Parts } from './outbox/step';
import type { BoardTable } from './table';

/** What a place at the end is above the last one. */
const STEP = 65_536;

/** The first status column, and its labels that mean done. */
export function doneBy(columns: readonly Column[]): { column: Column; labels: ReadonlySet<string> } | null {
  const column = columns.find((one) => one.type === 'status');
  if (!column) return null;
  const labels = column.settings.labels ?? [];
  const isMarked = labels.some((label) => label.done);
  const done = labels.filter((label) => (isMarked ? label.done : meansDone(label.text)));
  return { column, labels: new Set(done.map((label) => label.id)) };
}

export interface Progress {
  count: number;
  /** How many of them are done; `null` where the board has no status column. */
  done: number | null;
}

/** How many subitems an item has and how many are done; `null` where it has none. */
export function progressOf(table: BoardTable, item: string): Progress | null {
  const rows = table.subitems.get(item);
  if (!rows) return null;
  const by = doneBy(table.meta.columns);
  const isDone = (row: number) => by?.labels.has(String(table.cell(row, by.column.id) ?? '')) ?? false;
  return { count: rows.length, done: by && rows.filter(isDone).length };
}

/** How many subitems a board has. */
export function subitemCount(table: BoardTable): number {
  let count = 0;
  for (const rows of table.subitems.values()) count += rows.length;
  return count;
}

export const countedSubitems = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'subitem' : 'subitems'}`;

/** In words: "2 of 5 subitems done". */
export const progressText = ({ count, done }: Progress) => (done === null ? countedSubitems(count) : `${done.toLocaleString()} of ${countedSubitems(count)} done`);

type Placed = Pick<Schemas['ItemRecord'], 'id' | 'position'>;

/** The places to write so that the one at `from` stands at `to`: between its neighbours, or from there on where no place is left. */
export function placesFor(list: readonly Placed[], from: number, to: number): Placed[] {
  const order = [...list];
  const [moved] = order.splice(from, 1);
  if (!moved || from === to || to < 0 || to >= list.length) return [];
  order.splice(to, 0, moved);
  const before = order[to - 1]?.position ?? -1;
  const after = order[to + 1]?.position;
  if (after === undefined) return [{ id: moved.id, position: before + STEP }];
  const middle = Math.floor((before + after) / 2);
  if (middle > before && middle < after) return [{ id: moved.id, position: middle }];
  const end = Math.max(...order.map((one) => one.position));
  return order.slice(to).map(({ id }, at) => ({ id, position: end + STEP * (at + 1) }));
}

const nameOf = (board: string, item: string) => boxOf(board).called.item(item);

const update = (boardId: string, itemId: string, body: { parentId: string | null }) =>
  did(boardId, `making ${nameOf(boardId, itemId)} ${body.parentId === null ? 'an item' : 'a subitem'}`, client.patch('/boards/{boardId}/items/{itemId}', { path: { boardId, itemId }, body }));

/** A subitem that is to be added, as part of a step. */
export const newSubitem = (parentId: string, name: string): Parts => ({ add: [{ id: newId(), name, parentId, cells: {} }] });

/** Changes of subitems that the page asks for; all others are steps of cells and items. */
export const subitem = {
  /** Makes it an item of its own. */
  free: (board: string, item: string) => update(board, item, { parentId: null }),
  put: (board: string, item: string, parentId: string) => update(board, item, { parentId }),
  /** Moves one among its parent's by so many places. */
  move: async (boardId: string, parentId: string, item: string, by: number) => {
    const { items } = await client.get('/boards/{boardId}/items', { path: { boardId }, query: { parentId, limit: PAGE_MAX } });
    const at = items.findIndex((one) => one.id === item);
    // However many places that takes, it is one step.
    const places = placesFor(items, at, at + by).map(({ id, position }) => ({ itemId: id, position }));
    if (places.length > 0) await did(boardId, `the place of ${nameOf(boardId, item)}`, client.patch('/boards/{boardId}/cells', { path: { boardId }, body: { items: places } }));
  },
};
