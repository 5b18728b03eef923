/** The focused cell of the table, the selected cells, and the cell that is edited. They follow their items when lines change. */
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type Dispatch,
  type FocusEvent,
  type RefObject,
  type SetStateAction,
} from 'react';
import { toast } from '@shell/components';
import type { BoardTable } from '../table';
import type { ShownColumn } from './columns';
import type { Cells } from './edits';
import type { InViewHandle } from './InView';
import { followed, type GridLine } from './lines';
import type { Editing } from './Row';
import { boxOf, selectedCells, type Box, type Place, type Range } from './selection';
import { scrolledTo } from './steps';

/** The place of the titles, above the first line. */
export const HEAD_LINE = -1;

/** A run of Tabs: the column where it began, below which Enter continues, and the cell that has none after it. */
interface TabRun {
  column: number;
  end: Place | null;
  isSaid: boolean;
}

export interface Cursor {
  place: Place;
  setPlace: Dispatch<SetStateAction<Place>>;
  ranges: readonly Range[];
  setRanges: (ranges: readonly Range[]) => void;
  editing: Editing | null;
  setEditing: (editing: Editing | null) => void;
  /** The selected ranges; the focused cell if there are none. */
  here: readonly Range[];
  last: Range;
  boxes: readonly Box[];
  selected: () => Cells;
  clamp: (next: Place, count?: number) => Place;
  /** Focuses a cell and ends the selection. */
  go: (next: Place, count?: number) => void;
  /** Moves the end of the last range. */
  stretch: (to: Place) => void;
  /** The items of some lines, with all their cells. */
  across: (from: number, to: number) => Range;
  /** Set to focus the cell once it's drawn. */
  wantsFocus: RefObject<boolean>;
  tabs: RefObject<TabRun | null>;
  onFocus: (event: FocusEvent<HTMLElement>) => void;
  onBlur: (event: FocusEvent<HTMLElement>) => void;
}

interface CursorOptions {
  table: BoardTable;
  lines: readonly GridLine[];
  shown: readonly ShownColumn[];
  scroller: HTMLElement | null;
  body: RefObject<InViewHandle | null>;
}

export function useCursor({ table, lines, shown, scroller, body }: CursorOptions): Cursor {
  const [place, setPlace] = useState<Place>({ line: 1, column: 0 });
  const [ranges, setRanges] = useState<readonly Range[]>([]);
  const [editing, setEditing] = useState<Editing | null>(null);
  const wantsFocus = useRef(false);
  const tabs = useRef<TabRun>(null);
  // Someone else may add, delete or move items at any moment: what is edited, focused and selected stays with its item.
  const [drawn, setDrawn] = useState({ table, lines, shown });
  const [lost, setLost] = useState(0);
  if (drawn.lines !== lines || drawn.shown !== shown) {
    setDrawn({ table, lines, shown });
    const follow = ({ line, column }: Place): Place | null => {
      const id = drawn.shown[column]?.column.id;
      const to = {
        line: line < 0 ? line : followed(line, drawn, { table, lines }),
        column: shown.findIndex((one) => one.column.id === id),
      };
      return (line >= 0 && to.line < 0) || to.column < 0 ? null : to;
    };
    const moved = follow(place);
    // A place that is still being gone to is one of the new lines.
    if (moved && !wantsFocus.current) setPlace(moved);
    if (editing) {
      const at = follow(editing);
      setEditing(at && { ...editing, ...at });
      if (!at) setLost(lost + 1);
    }
    const ends = ranges.map((range) => ({ ...range, from: follow(range.from), to: follow(range.to) }));
    if (ranges.length > 0)
      setRanges(ends.every((range): range is Range => range.from !== null && range.to !== null) ? ends : []);
  }
  useEffect(() => {
    if (lost > 0) toast.problem("Couldn't save cell", new Error('The item or column is no longer on this board.'));
  }, [lost]);

  const here: readonly Range[] = ranges.length > 0 ? ranges : [{ from: place, to: place }];
  const last = here.at(-1)!;
  const boxes = useMemo(() => (ranges.length > 0 ? ranges.map(boxOf) : []), [ranges]);
  const clamp = useCallback(
    (next: Place, count = lines.length): Place => ({
      line: Math.max(HEAD_LINE, Math.min(next.line, count - 1)),
      column: Math.max(0, Math.min(next.column, shown.length - 1)),
    }),
    [lines.length, shown.length],
  );
  const reveal = useCallback((line: number) => line >= 0 && body.current?.reveal(line), [body]);
  /** Frozen columns cover what is scrolled under them. */
  const revealColumn = (column: number) => {
    if (scroller) scroller.scrollLeft = scrolledTo(shown, column, scroller.scrollLeft, scroller.clientWidth);
  };
  const go = useCallback(
    (next: Place, count?: number) => {
      const to = clamp(next, count);
      wantsFocus.current = true;
      tabs.current = null;
      setRanges([]);
      setPlace(to);
      reveal(to.line);
    },
    [clamp, reveal],
  );
  const stretch = (to: Place) => {
    const end = clamp({ ...to, line: Math.max(0, to.line) });
    setRanges([...here.slice(0, -1), { ...last, to: end }]);
    reveal(end.line);
    revealColumn(end.column);
  };
  // As soon as it is drawn: an effect that waits may run within the next key's, before what that key moved is drawn.
  useLayoutEffect(() => {
    if (!wantsFocus.current || editing) return;
    const line = place.line === HEAD_LINE ? '.grid-head' : `[data-line="${place.line}"]`;
    const cell = scroller?.querySelector<HTMLElement>(`${line} [data-column="${place.column}"]`);
    if (!cell) return;
    wantsFocus.current = false;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    revealColumn(place.column);
  });
  return {
    place,
    setPlace,
    ranges,
    setRanges,
    editing,
    setEditing,
    here,
    last,
    boxes,
    selected: () => selectedCells(here, lines),
    clamp,
    go,
    stretch,
    across: (from, to) => ({
      from: { line: from, column: 0 },
      to: { line: to, column: shown.length - 1 },
      isItems: true,
    }),
    wantsFocus,
    tabs,
    onFocus: ({ target }) => {
      const at = target.closest<HTMLElement>('[data-column]')?.dataset.column;
      // What is pressed stays under the pointer.
      if (at !== undefined && target.matches(':focus-visible')) revealColumn(Number(at));
    },
    onBlur: ({ relatedTarget }) => {
      // An editor that was left for nothing in particular, as another window is, leaves the keys with its cell.
      if (editing && relatedTarget === null) wantsFocus.current = true;
    },
  };
}

/** Focuses the title of a column that was just added, once it's drawn and no dialog holds the focus. */
export function useAddedColumn(
  added: string | null,
  shown: readonly ShownColumn[],
  isInDialog: boolean,
  go: Cursor['go'],
): void {
  const reached = useRef(added);
  useEffect(() => {
    const column = shown.findIndex((one) => one.column.id === added);
    if (column < 0 || isInDialog || reached.current === added) return;
    reached.current = added;
    go({ line: HEAD_LINE, column });
  }, [added, shown, isInDialog, go]);
}
