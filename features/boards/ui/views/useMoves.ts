/** Changes of items that views make by moving them about: seen at once, said in a toast, and undone from there. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '@shell/api';
import { toast } from '@shell/components';
import type { CellValue, Column } from '../data';
import { groupsOf, itemsOf } from '../kanban/stacks';
import type { BoardTable } from '../table';

interface MovesHost {
  board: string;
  table: BoardTable;
  edit: (item: string, column: string, value: CellValue) => Promise<void>;
  follow: () => Promise<void>;
}

export interface Moves {
  /** Groups of items that were moved here while the table still has them elsewhere. */
  moved: ReadonlyMap<string, string>;
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

export function useMoves({ board, table, edit, follow }: MovesHost): Moves {
  const newest = useRef(table);
  useEffect(() => {
    newest.current = table;
  });
  const [asked, setAsked] = useState<ReadonlyMap<string, string>>(new Map());
  // Once the table has an item where it was moved to, the table is followed again.
  const moved = useMemo(() => {
    if (asked.size === 0) return asked;
    const groups = groupsOf(table);
    const waits = new Map(asked);
    for (const row of itemsOf(table)) if (waits.size > 0 && waits.get(table.id(row)) === groups.get(row)) waits.delete(table.id(row));
    return waits;
  }, [asked, table]);

  const cells = async (item: string, name: string, changes: readonly CellChange[], words: string) => {
    await Promise.all(changes.map(({ column, to }) => edit(item, column.id, to)));
    // What was refused says so itself and stands as it was.
    if (!changes.every(({ column, to }) => holds(newest.current, item, column.id, to))) return;
    toast.done(`Moved ${name} to ${words}`, { undo: () => Promise.all(changes.map(({ column, from }) => edit(item, column.id, from))).then(() => undefined) });
  };
  const group = async (item: string, to: string): Promise<boolean> => {
    setAsked((now) => new Map(now).set(item, to));
    const forget = () =>
      setAsked((now) => {
        const next = new Map(now);
        if (next.get(item) === to) next.delete(item);
        return next;
      });
    try {
      await api.patch(`/boards/${board}/items/${item}`, { groupId: to });
      await follow();
      return true;
    } catch (failure) {
      forget();
      toast.problem('The item was not moved', failure);
      return false;
    }
  };
  return {
    moved,
    cell: (item, name, column, from, to, words) => void cells(item, name, [{ column, from, to }], words),
    cells: (item, name, changes, words) => void cells(item, name, changes, words),
    group: (item, name, from, to, words) =>
      void group(item, to).then((done) => {
        if (done) toast.done(`Moved ${name} to ${words}`, { undo: () => group(item, from).then(() => undefined) });
      }),
    add: async (name, { group: groupId, cells: values }) => {
      try {
        await api.post(`/boards/${board}/items`, { name, ...(groupId ? { groupId } : {}), ...(values ? { cells: values } : {}) });
        await follow();
      } catch (failure) {
        toast.problem('The item was not added', failure);
        throw failure;
      }
    },
  };
}

function holds(table: BoardTable, item: string, column: string, value: CellValue): boolean {
  for (const row of itemsOf(table)) if (table.id(row) === item) return JSON.stringify(table.cell(row, column)) === JSON.stringify(value);
  return false;
}
