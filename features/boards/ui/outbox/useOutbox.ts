/**
 * What the person does on an open board goes out from here, step by step in its order: shown at once, sent as one request
 * each, taken back and done again as one. While the program is away steps wait, in this browser over a reload of the page;
 * what someone else changed meanwhile, and what is refused, waits for a decision.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '@shell/api';
import { toast } from '@shell/components';
import { CELLS_PER_CHANGE_MAX } from '@shell/gen/limits';
import { useConnection } from '@shell/live';
import { editAgainAction, isTyped } from '../again';
import { sameValue } from '../data';
import { toDraft } from '../format';
import { NAME } from '../grid/columns';
import type { BoardTable } from '../table';
import { History, type Made } from './history';
import { keepOnly, kept } from './kept';
import { send, takeBack } from './send';
import { decided, isEmpty, nextOf, type Conflict, type Parts, type Step } from './step';

/** Items of a step whose names are kept along with it. */
const NAMED_MAX = 100;
/** Tried again after this, should the connection come back unnoticed. */
const AGAIN_MS = 3_000;

/** The steps of one board. It outlives that the board is left, until everything is sent or the program is away. */
interface Box {
  board: string;
  /** The newest step's `at`: the clock may stand still, or be set back. */
  last: number;
  steps: readonly Step[];
  /** Steps that wait, or did. */
  waited: Set<number>;
  /** The one that is on its way. */
  sending: number | null;
  isAway: boolean;
  /** Sent, but not yet in what the page holds. */
  sent: readonly { step: Step; revision: number }[];
  history: History;
  settle: Map<number, (revision: number | null) => void>;
  /** What this browser keeps of them, and the writing of it. */
  kept: readonly Step[];
  keeping: Promise<void>;
  /** One undo follows the other. */
  undoing: Promise<void>;
}

const boxOf = (board: string): Box => ({
  board,
  last: 0,
  steps: [],
  waited: new Set(),
  sending: null,
  isAway: false,
  sent: [],
  history: new History(),
  settle: new Map(),
  kept: [],
  keeping: Promise.resolve(),
  undoing: Promise.resolve(),
});

export interface Outbox {
  /** What waits for the program, without what waits for a decision. */
  waiting: number;
  /** Steps that wait for a decision. */
  troubled: readonly Step[];
  /** What is shown above what the page holds of the board. */
  shown: readonly Step[];
  write: (parts: Parts) => Made | null;
  undo: () => void;
  redo: () => void;
  /** Takes one step back, whatever came after it. */
  takeBack: (made: Made) => void;
  decide: (step: Step, conflicts: readonly Conflict[], keep: 'mine' | 'theirs') => void;
  /** Gives a refused step up. */
  discard: (step: Step) => void;
  retry: (step: Step) => void;
}

/** Offers to correct what was typed, where the step is of one cell. */
function againOf({ cells, add, archive, remove }: Step, table: BoardTable | undefined) {
  const [cell] = cells;
  if (!cell || !table || cells.length + add.length + archive.length + remove.length > 1) return undefined;
  const column = [NAME, ...table.meta.columns].find(({ id }) => id === cell.column);
  if (!column || !isTyped(column.type)) return undefined;
  return editAgainAction({ item: cell.item, column: column.id, text: toDraft(cell.after, column, table.meta.members) });
}

const FAILED = { undo: 'It was not taken back', redo: 'It was not done again' } as const;

/** `held` is the board as the page holds it, `follow` asks for what has changed. */
export function useOutbox(board: string, held: BoardTable | undefined, follow: () => Promise<void>): Outbox {
  const connection = useConnection();
  const [, setRound] = useState(0);
  const current = useMemo(() => boxOf(board), [board]);
  const table = useRef(held);
  const isLive = useRef(false);
  const again = useRef(follow);
  useEffect(() => {
    table.current = held;
    isLive.current = connection === 'live';
    again.current = follow;
  });

  const change = useCallback((of: Box, steps: readonly Step[]) => {
    of.steps = steps;
    const now = steps.filter((step) => step.problem || of.waited.has(step.at));
    const before = of.kept;
    of.kept = now;
    if (now.length + before.length > 0) of.keeping = of.keeping.then(() => keepOnly(before, now));
    setRound((round) => round + 1);
  }, []);

  const pump = useCallback(
    async (of: Box): Promise<void> => {
      if (of.sending !== null) return;
      for (let next = nextOf(of.steps); next; next = nextOf(of.steps)) {
        const { at } = next;
        if (of.waited.has(at) && !isLive.current) return;
        of.sending = at;
        const outcome = await send(next).finally(() => {
          of.sending = null;
        });
        const wasWaiting = of.waited.has(at);
        const settle = (revision: number | null) => {
          of.settle.get(at)?.(revision);
          of.settle.delete(at);
        };
        if ('away' in outcome) {
          of.isAway = true;
          for (const step of of.steps) of.waited.add(step.at);
          change(of, of.steps);
          setTimeout(() => void pump(of), AGAIN_MS);
          return;
        }
        of.isAway = false;
        const others = of.steps.filter((step) => step.at !== at);
        if ('revision' in outcome) {
          of.sent = [...of.sent, { step: next, revision: outcome.revision }];
          settle(outcome.revision);
          change(of, others);
          void again.current();
        } else if ('refused' in outcome && !wasWaiting) {
          settle(null);
          change(of, others);
          toast.problem('The change was not saved', new Error(outcome.refused), againOf(next, table.current));
        } else {
          const problem = 'refused' in outcome ? outcome : { conflicts: outcome.conflicts };
          change(
            of,
            of.steps.map((step) => (step.at === at ? { ...step, problem } : step)),
          );
          void again.current();
        }
      }
    },
    [change],
  );

  useEffect(() => {
    const of = current;
    void kept(board).then((found) => {
      const strange = found.filter((step) => !of.steps.some(({ at }) => at === step.at));
      if (strange.length === 0) return;
      for (const step of strange) of.waited.add(step.at);
      of.kept = strange;
      of.isAway = true;
      // What was done while they were read comes behind them.
      change(of, [...strange, ...of.steps]);
      void pump(of);
    });
  }, [board, current, change, pump]);
  useEffect(() => {
    if (connection === 'live') void pump(current);
  }, [connection, current, pump]);

  const revision = held?.meta.board.id === board ? held.meta.board.revision : 0;
  const { steps, sent } = current;
  const shown = useMemo(
    () => [...sent.filter((one) => one.revision > revision).map(({ step }) => step), ...steps.filter((step) => !step.problem)],
    [steps, sent, revision],
  );
  useEffect(() => {
    current.sent = current.sent.filter((one) => one.revision > revision);
  }, [current, revision]);

  const put = useCallback(
    (of: Box, { cells = [], add = [], archive = [], remove = [] }: Parts): Made => {
      const at = Math.max(Date.now(), 1 + of.last, 1 + (of.steps.at(-1)?.at ?? 0));
      of.last = at;
      const names: Record<string, string> = {};
      for (const item of [...cells.map((cell) => cell.item), ...archive, ...remove].slice(0, NAMED_MAX)) {
        const row = table.current?.row(item);
        if (row !== undefined) names[item] = String(table.current?.cell(row, 'name') ?? '');
      }
      const parts = { cells, add, archive, remove };
      const settled = new Promise<number | null>((resolve) => of.settle.set(at, resolve));
      // Behind what waits it waits as well.
      if (of.isAway) of.waited.add(at);
      change(of, [...of.steps, { board: of.board, at, names, ...parts }]);
      void pump(of);
      return { board: of.board, parts, at, revision: settled };
    },
    [change, pump],
  );

  const write = useCallback(
    (parts: Parts): Made | null => {
      const cells = parts.cells?.filter(({ before, after }) => !sameValue(before, after)) ?? [];
      const step = { add: [], archive: [], remove: [], ...parts, cells };
      if (isEmpty(step as unknown as Step)) return null;
      const count = cells.length + step.archive.length + step.remove.length + step.add.reduce((sum, item) => sum + 1 + Object.keys(item.cells).length, 0);
      if (count > CELLS_PER_CHANGE_MAX) {
        toast.problem('The cells were not changed', new Error(`At most ${CELLS_PER_CHANGE_MAX.toLocaleString()} cells change at once; these are ${count.toLocaleString()}.`));
        return null;
      }
      const made = put(current, step);
      current.history.add(made);
      return made;
    },
    [current, put],
  );

  const drop = useCallback(
    (of: Box, at: number) => {
      of.settle.get(at)?.(null);
      of.settle.delete(at);
      change(
        of,
        of.steps.filter((step) => step.at !== at),
      );
      void pump(of);
    },
    [change, pump],
  );

  const revert = useCallback(
    async (of: Box, way: 'undo' | 'redo', made: Made): Promise<void> => {
      const step = of.steps.find(({ at }) => at === made.at);
      if (step && of.sending !== made.at && (step.problem || of.waited.has(made.at))) {
        // It was never sent, so there is nothing to take back but itself.
        drop(of, made.at);
        of.history.moved(way, made, step.problem ? null : { ...made, revision: Promise.resolve(null), isUnsent: true });
        return;
      }
      if (made.isUnsent) {
        of.history.moved(way, made, put(of, made.parts));
        return;
      }
      const at = await made.revision;
      if (at === null) {
        of.history.moved(way, made, null);
        return;
      }
      try {
        const undoneBy = await takeBack(of.board, at);
        of.history.moved(way, made, { ...made, at: 0, revision: Promise.resolve(undoneBy) });
        await again.current();
      } catch (failure) {
        // What someone has changed since stays in the way; without an answer it can be tried again.
        if (!(failure instanceof ApiError) || failure.status !== 0) of.history.moved(way, made, null);
        toast.problem(FAILED[way], failure);
      }
    },
    [drop, put],
  );
  const go = useCallback(
    (way: 'undo' | 'redo') => {
      const of = current;
      of.undoing = of.undoing.then(() => {
        const made = of.history.last(way);
        return made ? revert(of, way, made) : undefined;
      });
    },
    [current, revert],
  );

  return {
    waiting: current.isAway ? steps.filter((step) => !step.problem).length : 0,
    troubled: steps.filter((step) => step.problem),
    shown,
    write,
    undo: useCallback(() => go('undo'), [go]),
    redo: useCallback(() => go('redo'), [go]),
    takeBack: useCallback(
      (made: Made) => {
        const of = current;
        of.undoing = of.undoing.then(() => revert(of, 'undo', made));
      },
      [current, revert],
    ),
    decide: useCallback(
      (step: Step, conflicts: readonly Conflict[], keep: 'mine' | 'theirs') => {
        const before = current.steps;
        const left = decided(before, step.at, conflicts, keep);
        change(current, left);
        for (const { at } of before) {
          if (left.some((one) => one.at === at)) continue;
          current.settle.get(at)?.(null);
          current.settle.delete(at);
        }
        void pump(current);
      },
      [current, change, pump],
    ),
    discard: useCallback((step: Step) => drop(current, step.at), [current, drop]),
    retry: useCallback(
      (step: Step) => {
        const { problem: _, ...rest } = step;
        change(
          current,
          current.steps.map((one) => (one === step ? rest : one)),
        );
        void pump(current);
      },
      [current, change, pump],
    ),
  };
}
