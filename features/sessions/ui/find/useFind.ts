/** The search in a transcript: what was typed, the matches, and the current one. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Ask } from '../data';
import { firstOf, type Row } from '../transcript';
import { patternOf } from './ranges';

/** Entries loaded for a search before going on with Previous at the first match. */
const ENTRIES_MAX = 20_000;

/** A match: its row, and which one it is in it. */
export interface Match {
  key: string;
  nth: number;
}

interface Found {
  row: Row;
  count: number;
  /** Number of matches in the rows before. */
  before: number;
}

interface Options {
  isOpen: boolean;
  rows: readonly Row[];
  asks: readonly Ask[];
  hasMore: boolean;
  /** Loads the rest of the transcript until there are so many entries. */
  onFill: (entries: number, signal: AbortSignal) => Promise<void>;
  /** Returns the number of the first entry of the first visible row. */
  firstSeen: () => number;
}

export interface Find {
  query: string;
  setQuery: (query: string) => void;
  pattern: RegExp | null;
  /** Position of the current match, from 1; 0 without one. */
  position: number;
  total: number;
  isLoading: boolean;
  /** Whether older entries aren't searched yet. */
  isPartial: boolean;
  /** The match to scroll to: a new object each time. */
  target: Match | null;
  step: (by: 1 | -1) => void;
}

/** Loads the rest of the transcript while a search is under way. */
function useFill(isOn: boolean, hasMore: boolean, onFill: Options['onFill']) {
  const [entries, setEntries] = useState(ENTRIES_MAX);
  const [isLoading, setLoading] = useState(false);
  const isNeeded = isOn && hasMore;
  useEffect(() => {
    if (!isNeeded) return;
    const end = new AbortController();
    setLoading(true);
    void onFill(entries, end.signal).finally(() => !end.signal.aborted && setLoading(false));
    return () => {
      end.abort();
      setLoading(false);
    };
  }, [isNeeded, entries, onFill]);
  return { isLoading, more: () => setEntries((before) => before + ENTRIES_MAX) };
}

/** The rows with matches. What they are made of is loaded when it's first needed. */
function useFound(pattern: RegExp | null, rows: readonly Row[], asks: readonly Ask[]): readonly Found[] | null {
  const [texts, setTexts] = useState<typeof import('./texts') | null>(null);
  const isNeeded = pattern !== null;
  useEffect(() => {
    if (isNeeded) void import('./texts').then(setTexts);
  }, [isNeeded]);
  // Streamed text changes one row at a time: the others keep their counts.
  const counts = useMemo(() => ({ pattern, of: new WeakMap<Row, number>() }), [pattern]);
  return useMemo(() => {
    if (!texts || !counts.pattern) return null;
    const found: Found[] = [];
    let before = 0;
    for (const row of rows) {
      let count = row.kind === 'ask' ? undefined : counts.of.get(row);
      if (count === undefined) counts.of.set(row, (count = texts.countIn(row, asks, counts.pattern)));
      if (count > 0) found.push({ row, count, before });
      before += count;
    }
    return found;
  }, [texts, counts, rows, asks]);
}

export function useFind({ isOpen, rows, asks, hasMore, onFill, firstSeen }: Options): Find {
  const [query, setQuery] = useState('');
  const pattern = useMemo(() => (isOpen ? patternOf(query) : null), [isOpen, query]);
  const { isLoading, more } = useFill(pattern !== null, hasMore, onFill);
  const found = useFound(pattern, rows, asks);
  const [target, setTarget] = useState<Match | null>(null);
  const last = found?.at(-1);
  const total = last ? last.before + last.count : 0;
  const within = found?.find(({ row }) => row.key === target?.key);
  const position = within && target ? within.before + Math.min(target.nth, within.count - 1) + 1 : 0;
  const goTo = useCallback(
    (index: number) => {
      const one = found?.findLast(({ before }) => before <= index);
      if (one) setTarget({ key: one.row.key, nth: index - one.before });
    },
    [found],
  );
  // Another search begins where the last one was, or at the top of what is seen.
  const searched = useRef<RegExp | null>(null);
  const seen = useRef(firstSeen);
  seen.current = firstSeen;
  useEffect(() => {
    if (!pattern) {
      searched.current = null;
      setTarget(null);
    } else if (found && (searched.current !== pattern || (position === 0 && total > 0))) {
      searched.current = pattern;
      const from = target ? parseInt(target.key, 10) : seen.current();
      const next = found.find(({ row }) => firstOf(row) >= from) ?? found.at(-1);
      setTarget(next ? { key: next.row.key, nth: 0 } : target);
    }
  }, [pattern, found, position, total, rows, target]);
  const step = (by: 1 | -1) => {
    if (total === 0) return;
    const next = position === 0 ? (by > 0 ? 0 : total - 1) : position - 1 + by;
    // Older matches come first: the last one isn't the previous one yet.
    if (next < 0 && hasMore) return isLoading ? undefined : more();
    goTo((next + total) % total);
  };
  return {
    query,
    setQuery,
    pattern,
    position,
    total,
    isLoading: pattern !== null && (isLoading || found === null),
    isPartial: hasMore,
    target,
    step,
  };
}
