/** Changes of items that views make by moving them about: seen at once, said in a toast, and undone from there. */
import type { CellValue, Column } from '../data';
import { offerStep } from '../offers';
import { newId, type Parts } from '../outbox/step';
import type { Outbox } from '../outbox/useOutbox';

export interface Moves {
  /** Writes a cell; `words` say where it went: `Done`, `4 March`. */
  cell: (item: string, name: string, column: Column, from: CellValue, to: CellValue, words: string) => void;
  /** Writes several cells of one item. */
  cells: (item: string, name: string, changes: readonly CellChange[], words: string) => void;
  group: (item: string, name: string, from: string, to: string, words: string) => void;
  add: (name: string, place: { group?: string; cells?: Record<string, CellValue> }) => Promise<void>;
}

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
    move({ cells: changes.map(({ column, from, to }) => ({ item, column: column.id, before: from, after: to })) }, `Moved ${name} to ${words}`);
  return {
    cell: (item, name, column, from, to, words) => cells(item, name, [{ column, from, to }], words),
    cells,
    group: (item, name, from, to, words) => move({ cells: [{ item, column: 'groupId', before: from, after: to }] }, `Moved ${name} to ${words}`),
    // It is shown at once, and what becomes of it is said where it is not.
    add: (name, { group, cells: values = {} }) => {
      write({ add: [{ id: newId(), name, ...(group ? { groupId: group } : {}), cells: values }] });
      return Promise.resolve();
    },
  };
}
