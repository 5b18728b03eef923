/** Many cells at once: shown at once, sent as one change, taken back as one. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { toast } from '@shell/components';
import { change, type CellValue } from '../data';
import type { BoardTable, Edit } from '../table';
import { History, type CellChange } from './history';

/** Cells that one request may change. */
export const CELLS_MAX = 20_000;

export interface Cells {
  /** The board with what is on its way. */
  table: BoardTable;
  /** Changes cells as one step, and remembers it; `false` where they are too many for one. */
  write: (changes: readonly CellChange[]) => boolean;
  /** Takes the last step back. */
  undo: () => void;
  /** Does it again. */
  redo: () => void;
}

const same = (a: CellValue, b: CellValue) => JSON.stringify(a) === JSON.stringify(b);

export function useCells(held: BoardTable, onEdit: (item: string, column: string, value: CellValue, was: CellValue) => void): Cells {
  const board = held.meta.board.id;
  const [pending, setPending] = useState<ReadonlyMap<string, Edit>>(new Map());
  const history = useRef(new History());
  useEffect(() => {
    history.current = new History();
    setPending(new Map());
  }, [board]);
  const { revision } = held.meta.board;
  // What the board holds by now is no longer on its way.
  useEffect(() => {
    setPending((before) => {
      const left = [...before].filter(([, edit]) => edit.revision === 0 || edit.revision > revision);
      return left.length === before.size ? before : new Map(left);
    });
  }, [revision]);
  const table = useMemo(() => held.editedMany(pending), [held, pending]);

  const send = useCallback(
    async (changes: readonly CellChange[]) => {
      const one = changes.length === 1 ? changes[0] : undefined;
      if (one) return onEdit(one.item, one.column, one.after, one.before);
      const keys = changes.map((cell) => `${cell.item}/${cell.column}`);
      const put = (at: number | null) =>
        setPending((before) => {
          const next = new Map(before);
          changes.forEach(({ after }, i) => (at === null ? next.delete(keys[i]!) : next.set(keys[i]!, { value: after, revision: at })));
          return next;
        });
      put(0);
      try {
        const items = new Map<string, { itemId: string; name?: string; cells: Record<string, CellValue> }>();
        for (const { item, column, after } of changes) {
          const of = items.get(item) ?? { itemId: item, cells: {} };
          items.set(item, of);
          if (column === 'name') of.name = String(after ?? '');
          else of.cells[column] = after;
        }
        const { boardRevision } = await change.cells(board, [...items.values()]);
        put(boardRevision);
      } catch (failure) {
        put(null);
        const first = failure instanceof ApiError ? failure.errors[0]?.detail : undefined;
        toast.problem('The cells were not changed', new Error(first ?? reasonOf(failure)));
      }
    },
    [board, onEdit],
  );
  const write = useCallback(
    (changes: readonly CellChange[]) => {
      const step = changes.filter(({ before, after }) => !same(before, after));
      if (step.length === 0) return true;
      if (step.length > CELLS_MAX) {
        toast.problem('The cells were not changed', new Error(`At most ${CELLS_MAX.toLocaleString()} cells change at once; these are ${step.length.toLocaleString()}.`));
        return false;
      }
      history.current.add(step);
      void send(step);
      return true;
    },
    [send],
  );
  const undo = useCallback(() => {
    const step = history.current.undo();
    if (step) void send(step);
  }, [send]);
  const redo = useCallback(() => {
    const step = history.current.redo();
    if (step) void send(step);
  }, [send]);
  return { table, write, undo, redo };
}
