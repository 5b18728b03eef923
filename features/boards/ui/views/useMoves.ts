/** Item changes by dragging in views: shown immediately, reported in a toast, and undoable. */
import type { CellValue, Column } from '../data';
import { offerStep } from '../offers';
import { beside, newId, type CellChange as Changed, type Parts } from '../outbox/step';
import type { Outbox } from '../outbox/useOutbox';

export interface Moves {
  /** Writes several cells of one item. */
  cells: (item: string, name: string, changes: readonly CellChange[], words: string) => void;
  group: (item: string, name: string, from: string, to: string, words: string) => void;
  /** Changes parts of an item, with its place where it is to stand beside others. */
  put: (
    item: string,
    name: string,
    changes: readonly Omit<Changed, 'item'>[],
    beside: Beside | null,
    words: string,
  ) => void;
  add: (name: string, place: { group?: string; cells?: Record<string, CellValue> }) => Promise<void>;
}

/** IDs of the new neighbors, before and after; empty where none. */
export type Beside = readonly [after: string, before: string];

export interface CellChange {
  column: Column;
  from: CellValue;
  to: CellValue;
}

export function useMoves({ write, takeBack }: Pick<Outbox, 'write' | 'takeBack'>): Moves {
  const move = (parts: Parts, told: string) => {
    offerStep(told, write(parts), takeBack);
  };
  const cells = (item: string, name: string, changes: readonly CellChange[], words: string) =>
    move(
      { cells: changes.map(({ column, from, to }) => ({ item, column: column.id, before: from, after: to })) },
      `Moved ${name} to ${words}`,
    );
  return {
    cells,
    put: (item, name, changes, neighbors, words) => {
      const place = neighbors ? [beside(item, neighbors)] : [];
      move({ cells: [...changes.map((change) => ({ item, ...change })), ...place] }, `Moved ${name} to ${words}`);
    },
    group: (item, name, from, to, words) =>
      move({ cells: [{ item, column: 'groupId', before: from, after: to }] }, `Moved ${name} to ${words}`),
    // It is shown at once, and what becomes of it is said where it is not.
    add: (name, { group, cells: values = {} }) => {
      write({ add: [{ id: newId(), name, ...(group ? { groupId: group } : {}), cells: values }] });
      return Promise.resolve();
    },
  };
}
