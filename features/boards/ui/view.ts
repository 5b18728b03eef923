/** Rows of a view: visible items, their order, and totals, computed by the engine for the current board. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { viewEngine, type Engine } from '@shell/engine/client';
import type { Filters, InertRule, SortStep, ViewAnswer, ViewQuery, ViewRows as Answered } from '@shell/engine/types';
import { useMe } from '@shell/preferences';
import { useSetting } from '@shell/settings';
import { engineClock } from '@shell/dates';
import type { BoardTable } from './table';

/** Settings of a view as in `PATCH /boards/:id/views/:id`; unknown members are preserved. */
export interface ViewSettings {
  hiddenColumns?: string[];
  sort?: SortStep[];
  widths?: Record<string, number>;
  filter?: Filters;
  /** Columns in the view's own order; those that it does not name follow in the board's. */
  columnOrder?: string[];
  /** The last column that stays in view; the name always does. */
  frozen?: string;
  /** Groups whose items are folded away. */
  foldedGroups?: string[];
  [other: string]: unknown;
}

/** Query options that aren't stored in the view. */
interface Asked {
  search?: string;
  totals?: boolean;
}

export interface ViewRows {
  /** The board that the rows are of. It is the newest, but for the moment after the whole board was read anew. */
  table: BoardTable;
  /** Rows in the view's order, across groups; `null` is the board's own order with all its items. */
  rows: Uint32Array | null;
  /** The board as it was when these rows were chosen; `null` without. */
  of: BoardTable | null;
  /** Rules that constrain nothing, and why. */
  inert: readonly InertRule[];
  totals: ViewAnswer['totals'] | null;
  /** Why the engine could not answer; the board's own order is shown then. */
  error: unknown;
}

const NONE: readonly InertRule[] = [];
/** What "today" means is asked again this often. */
const AGAIN_MS = 60_000;

/** Data that the engine already has, so that only changes are sent. */
const held = new WeakMap<Engine, { bytes: ArrayBuffer; board: string; rev: string; table: BoardTable | null }>();
let handed = 0;

/** Asks the engine about a board as it is; calls are answered in their order. */
export function askView(engine: Engine, table: BoardTable, query: Omit<ViewQuery, 'boards'>): Promise<Answered> {
  const board = table.meta.board.id;
  let state = held.get(engine);
  if (state?.bytes !== table.bytes || engine.revision(state.board) !== state.rev) {
    // One board at a time: the one before is not looked at any more.
    if (state && state.board !== board) engine.dropBoard(state.board);
    handed += 1;
    state = { bytes: table.bytes, board, rev: String(handed), table: null };
    held.set(engine, state);
    // A board that is refused is said by the answer that follows.
    engine.setBoard(board, state.rev, table.bytes.slice(0)).catch(() => undefined);
  }
  if (state.table !== table) {
    const patch = table.patch();
    if (patch) engine.patch(patch);
    else if (state.table?.patch()) engine.patch({ head: { ...table.meta }, items: [], gone: [] });
    state.table = table;
  }
  return engine.view({ ...query, boards: [board] });
}

/** Whether a filter chooses among the items. */
export const choosesItems = (filter: Filters | undefined) =>
  Boolean(filter && (filter.all?.length || filter.people?.ids.length || filter.people?.teams?.length));

/** The rows of a view of a board; they follow every edit and every change of the board. */
export function useViewRows(
  table: BoardTable,
  settings: ViewSettings,
  { search = '', totals = false }: Asked = {},
  engine: Engine = viewEngine,
): ViewRows {
  const week = useSetting('calendarWeekStartDay');
  // Without one "me" is nobody: a rule about it then finds nothing, where the engine would leave it out.
  const me = useMe()[0] ?? '';
  const { filter, sort } = settings;
  const isNeeded = choosesItems(filter) || Boolean(sort?.length) || search.trim() !== '' || totals;
  const asked = useMemo(
    () => JSON.stringify({ filters: filter, sort, search, totals }),
    [filter, sort, search, totals],
  );
  const [tick, setTick] = useState(0);
  const isDated = choosesItems(filter);
  useEffect(() => {
    if (!isDated) return;
    const timer = setInterval(() => setTick((n) => n + 1), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isDated]);
  const [state, setState] = useState<{
    table: BoardTable;
    asked: string;
    answer: Answered | null;
    error: unknown;
  } | null>(null);
  /** One question is under way at a time; the newest waits for it. */
  const asking = useRef<{ isBusy: boolean; next: (() => void) | null }>({ isBusy: false, next: null });
  useEffect(() => {
    const line = asking.current;
    if (!isNeeded) {
      line.next = null;
      return setState(null);
    }
    const run = () => {
      line.isBusy = true;
      line.next = null;
      const query = { ...(JSON.parse(asked) as Asked), ...engineClock(new Date(), week), me };
      askView(engine, table, query)
        .then(
          (answer) => setState({ table, asked, answer, error: null }),
          (error: unknown) => setState({ table, asked, answer: null, error }),
        )
        .finally(() => {
          line.isBusy = false;
          line.next?.();
        });
    };
    if (line.isBusy) line.next = run;
    else run();
  }, [table, asked, isNeeded, me, week, tick, engine]);
  // A change of the page: what was asked no longer matters.
  useEffect(() => {
    const line = asking.current;
    return () => {
      line.next = null;
    };
  }, []);
  return useMemo(() => {
    const answer = state?.answer;
    if (!isNeeded || !answer || state.table.meta.board.id !== table.meta.board.id) {
      return {
        table,
        rows: null,
        of: null,
        inert: NONE,
        totals: null,
        error: isNeeded ? (state?.error ?? null) : null,
      };
    }
    // Rows keep their items for as long as the board was not read anew.
    const of = state.table.bytes === table.bytes ? table : state.table;
    const arranged = JSON.parse(state.asked) as { filters?: Filters; sort?: unknown[]; search?: string };
    const isOwn = !choosesItems(arranged.filters) && !arranged.sort?.length && !arranged.search?.trim();
    return {
      table: of,
      rows: isOwn ? null : answer.rows,
      of: isOwn ? null : state.table,
      inert: answer.inertRules,
      totals: answer.totals ?? null,
      error: null,
    };
  }, [state, table, isNeeded]);
}
