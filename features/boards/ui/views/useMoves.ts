/** Changes of items that views make by moving them about: seen at once, said in a toast, and undone from there. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '@shell/api';
import { toast } from '@shell/components';
import type { CellValue, Column, WrittenItem } from '../data';
import { itemsOf } from '../kanban/stacks';
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

/** A move to a group, and the board's revision that holds it; 0 while it is being saved. */
interface Asked {
  group: string;
  revision: number;
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
  const [asked, setAsked] = useState<ReadonlyMap<string, Asked>>(new Map());
  // Once the table is as new as the move, it says where the item is.
  const { revision } = table.meta.board;
  const moved = useMemo(() => {
    const waits = [...asked].filter(([, move]) => move.revision === 0 || move.revision > revision);
    return new Map(waits.map(([item, move]) => [item, move.group]));
  }, [asked, revision]);

  const cells = async (item: string, name: string, changes: readonly CellChange[], words: string) => {
    await Promise.all(changes.map(({ column, to }) => edit(item, column.id, to)));
    // What was refused says so itself and stands as it was.
    if (!changes.every(({ column, to }) => holds(newest.current, item, column.id, to))) return;
    toast.done(`Moved ${name} to ${words}`, { undo: () => Promise.all(changes.map(({ column, from }) => edit(item, column.id, from))).then(() => undefined) });
  };
  const group = async (item: string, to: string): Promise<boolean> => {
    const mine: Asked = { group: to, revision: 0 };
    setAsked((now) => new Map(now).set(item, mine));
    /** Unless it was moved again meanwhile. */
    const settle = (outcome: Asked | null) =>
      setAsked((now) => {
        if (now.get(item) !== mine) return now;
        const next = new Map(now);
        if (outcome) next.set(item, outcome);
        else next.delete(item);
        return next;
      });
    try {
      const { boardRevision } = await api.patch<WrittenItem>(`/boards/${board}/items/${item}`, { groupId: to });
      settle({ group: to, revision: boardRevision });
      await follow();
      return true;
    } catch (failure) {
      settle(null);
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
