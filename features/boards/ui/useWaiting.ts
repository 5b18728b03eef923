/** The edits of an open board that wait for the program, and what becomes of them. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from '@shell/live';
import type { CellValue } from './data';
import { forget, keep, kept, send, withEdit, type WaitingEdit } from './waiting';

/** Tried again after this, should the connection come back unnoticed. */
const AGAIN_MS = 3_000;

/** What the table does about them. */
export interface Shown {
  show(item: string, column: string, value: CellValue, revision: number): void;
  drop(item: string, column: string): void;
}

/** What waits, and what can be done about it. */
export interface Waiting {
  edits: readonly WaitingEdit[];
  add(edit: Omit<WaitingEdit, 'board' | 'at'>): void;
  /** Writes one's own value over what someone else wrote. */
  keepMine(edit: WaitingEdit): void;
  /** Gives one's own value up. */
  discard(edit: WaitingEdit): void;
}

/** Sends what waits, in its order, whenever the program answers. `isThere` says whether the table is. */
export function useWaiting(board: string, isThere: boolean, { show, drop }: Shown): Waiting {
  const connection = useConnection();
  const [edits, setEdits] = useState<readonly WaitingEdit[]>([]);
  const newest = useRef<readonly WaitingEdit[]>([]);
  const sending = useRef(false);
  const [round, setRound] = useState(0);
  const put = useCallback((next: readonly WaitingEdit[]) => {
    newest.current = next;
    setEdits(next);
  }, []);

  useEffect(() => {
    let isCurrent = true;
    put([]);
    void kept(board).then((found) => {
      // What was edited while they were read comes behind them.
      if (isCurrent) put(newest.current.reduce<readonly WaitingEdit[]>(withEdit, found));
    });
    return () => {
      isCurrent = false;
    };
  }, [board, put]);

  useEffect(() => {
    if (isThere) for (const edit of edits) show(edit.item, edit.column, edit.value, 0);
  }, [isThere, edits, show]);

  useEffect(() => {
    if (!isThere || connection !== 'live' || sending.current) return undefined;
    const next = newest.current.find((edit) => !edit.problem);
    if (!next) return undefined;
    sending.current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void send(next)
      .then((outcome) => {
        if ('away' in outcome) {
          timer = setTimeout(() => setRound((last) => last + 1), AGAIN_MS);
          return;
        }
        // It was typed over meanwhile: the newer value is sent by itself.
        const held = newest.current.find((edit) => edit.at === next.at);
        if (!held || held.board !== next.board) return;
        if ('saved' in outcome) {
          if (held !== next) {
            const again = { ...held, was: outcome.saved, revision: outcome.revision };
            void keep(again);
            put(newest.current.map((edit) => (edit === held ? again : edit)));
            return;
          }
          void forget(next);
          put(newest.current.filter((edit) => edit !== next));
          show(next.item, next.column, outcome.saved, outcome.revision);
          return;
        }
        const problem = 'refused' in outcome ? { refused: outcome.refused } : { current: outcome.current };
        const stays = { ...held, problem, ...('revision' in outcome ? { revision: outcome.revision } : {}) };
        void keep(stays);
        put(newest.current.map((edit) => (edit === held ? stays : edit)));
      })
      .finally(() => {
        sending.current = false;
        if (timer === undefined) setRound((last) => last + 1);
      });
    return undefined;
  }, [isThere, connection, edits, round, put, show]);

  const add = useCallback(
    (edit: Omit<WaitingEdit, 'board' | 'at'>) => {
      const at = Math.max(Date.now(), 1 + (newest.current.at(-1)?.at ?? 0));
      const next = withEdit(newest.current, { ...edit, board, at });
      const added = next.find((one) => one.item === edit.item && one.column === edit.column);
      if (added) void keep(added);
      put(next);
    },
    [board, put],
  );
  const keepMine = useCallback(
    (edit: WaitingEdit) => {
      if (!edit.problem || !('current' in edit.problem)) return;
      const { problem, ...rest } = edit;
      const again = { ...rest, was: problem.current };
      void keep(again);
      put(newest.current.map((one) => (one === edit ? again : one)));
    },
    [put],
  );
  const discard = useCallback(
    (edit: WaitingEdit) => {
      void forget(edit);
      put(newest.current.filter((one) => one !== edit));
      drop(edit.item, edit.column);
    },
    [drop, put],
  );
  return { edits, add, keepMine, discard };
}
