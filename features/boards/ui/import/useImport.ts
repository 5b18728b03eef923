/** Imports a file with progress, and offers to undo it. */
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { toast } from '@shell/components';
import { useLiveEvent } from '@shell/live';
import { useBoards } from '../data';
import { counted } from '../format';
import { boxOf } from '../outbox/box';
import { cancelImport, send, undoImport, type Imported } from './importing';

type ImportQuery = Parameters<typeof send>[1];

export function useImport(onClose: () => void, onError: (error: unknown) => void) {
  const { refetch } = useBoards();
  const [, navigate] = useLocation();
  const [progress, setProgress] = useState<{ rows: number; rowsExpected: number } | null>(null);
  const [result, setResult] = useState<Imported | null>(null);
  const importId = useRef('');
  const abort = useRef<AbortController>(null);
  useLiveEvent<{ importId: string; rows: number; rowsExpected: number }>('import-progress', (event) => {
    if (event.importId === importId.current) setProgress((before) => before && event);
  });

  const takeBack = async (id: string, board: string) => {
    const undone = await undoImport(id);
    void refetch();
    if (undone.boardDeleted) navigate('/boards');
    const along = undone.changedSince ? `${board} is in Trash with its later changes.` : board;
    const stay =
      undone.keptCount === 1 ? 'Kept 1 later change.' : `Kept ${undone.keptCount.toLocaleString()} later changes.`;
    toast.done('Import undone', { detail: undone.keptCount > 0 ? `${board}. ${stay}` : along });
  };
  const report = (imported: Imported, id: string) => {
    const board = imported.board.name;
    if (imported.rowsImported !== undefined) {
      const undo = () =>
        takeBack(id, board).catch((failure: unknown) => toast.problem("Couldn't undo import", failure));
      toast.done(`Imported ${counted(imported.rowsImported)} into ${board}`, { undo });
      return;
    }
    // What was done to a board that was there is a step on it, which nothing does again but another import.
    const back = async () => {
      await takeBack(id, board);
      close();
      return null;
    };
    const box = boxOf(imported.board.id);
    const made = box.note(Promise.resolve(back), 'the import');
    const close = toast.done(
      `Added ${counted(imported.added ?? 0)}, changed ${(imported.changed ?? 0).toLocaleString()} in ${board}`,
      { undo: () => box.takeBack(made) },
    );
  };

  /** Goes to a board, where the dialog may stand already. */
  const show = (board: string) => {
    onClose();
    navigate(`/boards/${board}`);
  };
  const run = async (file: File, rowsExpected: number, query: ImportQuery) => {
    const id = crypto.randomUUID();
    importId.current = id;
    abort.current = new AbortController();
    onError(null);
    setProgress({ rows: 0, rowsExpected });
    try {
      const whole = {
        ...query,
        importId: id,
      };
      const imported = await send<Imported>(file, whole, abort.current.signal);
      void refetch();
      report(imported, id);
      if (imported.rowsSkipped === 0) show(imported.board.id);
      else setResult(imported);
    } catch (failure) {
      if (!abort.current.signal.aborted) onError(failure);
    } finally {
      setProgress(null);
    }
  };

  const cancel = () => {
    abort.current?.abort();
    cancelImport(importId.current);
    setProgress(null);
    toast.done('Import canceled');
  };
  return { progress, result, show, run, cancel };
}
