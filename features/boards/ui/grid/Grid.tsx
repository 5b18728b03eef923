/**
 * The table of a board as an ARIA grid, worked as a spreadsheet: arrows move, Shift selects, Enter or typing edits, Escape
 * leaves, Delete empties cells and deletes items that Shift+Space or the heads of their rows selected, Alt with the arrows down and up shows and hides an item's subitems, with Enter it opens where a cell leads, Ctrl+C, X, V, D and Z do what they do everywhere. Only the lines in view exist in the document, so a
 * board of any size scrolls alike.
 */
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { Button, ConfirmDialog, Dialog, toast } from '@shell/components';
import { newRule, rulesOf, withRules } from '@shell/filters/rules';
import type { Member } from '@shell/members';
import { useEditAgain } from '../again';
import { change } from '../changes';
import { ColumnDialog } from '../ColumnDialog';
import {
  isBlank,
  isReadOnly,
  sameValue,
  type CellValue,
  type Column,
  type ColumnSettings,
  type ColumnType,
} from '../data';
import { NameDialog } from '../dialogs';
import { useRowPx } from '../display';
import { useHiddenAdded } from '../hidden';
import { newId, type CellChange, type NewItem } from '../outbox/step';
import type { Outbox } from '../outbox/useOutbox';
import type { BoardTable } from '../table';
import { offerUndo } from '../offers';
import { choosesItems, useViewRows, type ViewSettings } from '../view';
import { AddItem, type AddItemHandle } from './AddItem';
import { GUTTER_PX, NAME, shownColumns } from './columns';
import { clipboardOf, count } from './copyPaste';
import { applied, cleared, filled, type Refusal, type Sheet } from './edits';
import { FilterBar } from './FilterBar';
import { GroupDialogs } from './GroupDialogs';
import { groups as groupRequests, placeOf as groupPlace, type GroupAsk } from './groups';
import { Head } from './Head';
import { InView, type InViewHandle } from './InView';
import { followed, linesOf, numbersOf } from './lines';
import { NothingMatches, NothingYet } from './Nothing';
import { Row, type Editing, type RowActions } from './Row';
import { fieldsOf, subjectOf, unaskable } from './rules';
import { boxOf, edgeFrom, selectedCells, type Place, type Range } from './selection';
import { scrolledTo, tabbed } from './steps';
import { hasTotals, TotalCells, type TotalName } from './totals';
import { ViewFault } from '../views/ViewFault';
import './grid.css';

/** The line of titles, which stays in view; boards.css has it too. */
const HEAD_PX = 36;
/** The place of the titles, above the first line. */
const HEAD_LINE = -1;
const REFUSALS_SHOWN = 100;

export interface GridViewProps {
  table: BoardTable;
  members: readonly Member[];
  settings: ViewSettings;
  onSettings: (settings: ViewSettings) => void;
  /** What the person does goes out from there. */
  outbox: Pick<Outbox, 'write' | 'undo' | 'redo' | 'takeBack'>;
  /** A column that was just added, which gets the focus. */
  added: string | null;
  onAddColumn: (title: string, type: ColumnType, settings: ColumnSettings) => Promise<void>;
  onDelete: (item: string, name: string) => void;
  onAddSubitem: (parent: string, name: string) => void;
  /** Archives or deletes several items as one step. */
  onPutAway: (where: 'archive' | 'remove', items: readonly string[]) => void;
  /** Shows what a computed cell comes from. */
  onOpenFormula: (column: Column, item: string) => void;
  /** Shows the files of a cell, and adds those that were dropped on it. */
  onOpenFiles: (column: Column, item: string, dropped?: readonly File[]) => void;
  /** Shows the item at the side. */
  onOpenItem: (item: string, name: string) => void;
}

export function GridView({
  table: held,
  members,
  settings,
  onSettings,
  outbox,
  added,
  onAddColumn,
  onDelete,
  onPutAway,
  onAddSubitem,
  onOpenFormula,
  onOpenFiles,
  onOpenItem,
}: GridViewProps) {
  const { board } = held.meta;
  const [search, setSearch] = useState('');
  const [isFiltering, setIsFiltering] = useState(false);
  const all = held.meta.columns;
  const { hiddenColumns, columnOrder, widths, frozen } = settings;
  // A filter says nothing of columns: with them the lines would be drawn again.
  const shown = useMemo(
    () => shownColumns(all, { hiddenColumns, columnOrder, widths, frozen }),
    [all, hiddenColumns, columnOrder, widths, frozen],
  );
  const isTotalled = hasTotals(shown);
  const view = useViewRows(held, settings, { search, totals: isTotalled });
  const { table, rows, totals } = view;
  const folded = settings.foldedGroups;
  // The only group comes to what the board comes to, which stands below.
  const isTotalledByGroup = isTotalled && table.meta.groups.length > 1;
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(
    () => linesOf(table, { rows, folded: folded ?? [], unfolded, hasTotals: isTotalledByGroup }),
    [table, rows, folded, unfolded, isTotalledByGroup],
  );
  const numbers = useMemo(() => numbersOf(lines), [lines]);
  const template = `${GUTTER_PX}px ${shown.map(({ width }) => `${width}px`).join(' ')} 40px`;
  const chosenTotals = (settings.columnTotals ?? NO_TOTALS) as Record<string, TotalName | undefined>;
  const rowPx = useRowPx();
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [place, setPlace] = useState<Place>({ line: 1, column: 0 });
  const [ranges, setRanges] = useState<readonly Range[]>([]);
  const [editing, setEditing] = useState<Editing | null>(null);
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const [naming, setNaming] = useState<Column | null>(null);
  const [changing, setChanging] = useState<string | null>(null);
  const [removing, setRemoving] = useState<Column | null>(null);
  const [said, say] = useState('');
  /** Pastes that look up what they name. */
  const [looking, setLooking] = useState(0);
  const [grouping, setGrouping] = useState<GroupAsk | null>(null);
  const adding = useRef<AddItemHandle>(null);
  const wantsFocus = useRef(false);
  /** The column in which a run of Tabs began, below which Enter goes on, and the cell that has none after it. */
  const tabs = useRef<{ column: number; end: Place | null; isSaid: boolean }>(null);
  const body = useRef<InViewHandle>(null);
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

  const sheet: Sheet = { table, lines, shown, members };
  const here: readonly Range[] = ranges.length > 0 ? ranges : [{ from: place, to: place }];
  const selected = () => selectedCells(here, lines);
  const last = here.at(-1)!;
  const boxes = useMemo(() => (ranges.length > 0 ? ranges.map(boxOf) : []), [ranges]);

  const clamp = useCallback(
    (next: Place, count = lines.length): Place => ({
      line: Math.max(HEAD_LINE, Math.min(next.line, count - 1)),
      column: Math.max(0, Math.min(next.column, shown.length - 1)),
    }),
    [lines.length, shown.length],
  );
  const reveal = useCallback((line: number) => line >= 0 && body.current?.reveal(line), []);
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
  /** The items of some lines, with all their cells. */
  const across = (from: number, to: number): Range => ({
    from: { line: from, column: 0 },
    to: { line: to, column: shown.length - 1 },
    isItems: true,
  });
  /** Moves the end of the last rectangle. */
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
  // Once it is there, and the dialog that asked for it no longer holds the focus.
  const reached = useRef(added);
  useEffect(() => {
    const column = shown.findIndex((one) => one.column.id === added);
    if (column < 0 || changing !== null || reached.current === added) return;
    reached.current = added;
    go({ line: HEAD_LINE, column });
  }, [added, shown, changing, go]);
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    const at = target.closest<HTMLElement>('[data-column]')?.dataset.column;
    // What is pressed stays under the pointer.
    if (at !== undefined && target.matches(':focus-visible')) revealColumn(Number(at));
  };

  const onBlur = ({ relatedTarget }: FocusEvent<HTMLElement>) => {
    // An editor that was left for nothing in particular, as another window is, leaves the keys with its cell.
    if (editing && relatedTarget === null) wantsFocus.current = true;
  };

  const clearFilters = () => {
    setSearch('');
    onSettings({ ...settings, filter: undefined });
  };
  const noteAdded = useHiddenAdded(view, {
    isSearch: !choosesItems(settings.filter),
    open: onOpenItem,
    clear: clearFilters,
  });
  const write = (changes: readonly CellChange[], add: readonly NewItem[] = []) => {
    noteAdded(add);
    const names = changes.filter(
      ({ column, after }) => column === NAME.id && (after === null || String(after).trim() === ''),
    );
    if (names.length > 0) toast.problem('Item name is required', new Error('Enter a name or delete the item.'));
    return outbox.write({ cells: names.length > 0 ? changes.filter((one) => !names.includes(one)) : changes, add });
  };
  /** An edit with several items selected is of all of them. */
  const commit = (at: Place, value: CellValue, was?: CellValue) => {
    // An editor that was only opened and left changes nothing, above all not every selected cell.
    if (was !== undefined && sameValue(was, value)) return;
    const chosen = selected();
    const isOfAll =
      ranges.length > 0 &&
      chosen.lines.length > 1 &&
      chosen.lines.includes(at.line) &&
      chosen.columns.includes(at.column);
    const changes = applied(sheet, isOfAll ? chosen.lines : [at.line], at.column, value);
    write(isOfAll || was === undefined ? changes : changes.map((one) => ({ ...one, before: was })));
  };
  const valueAt = (line: number, column: number): CellValue => {
    const row = lines[line];
    return typeof row === 'number' ? table.cell(row, shown[column]?.column.id ?? '') : null;
  };
  const fold = (line: number) => {
    const head = lines[line];
    if (typeof head !== 'object' || !('group' in head)) return;
    const groups = folded ?? [];
    onSettings({
      ...settings,
      foldedGroups: head.isFolded ? groups.filter((id) => id !== head.group.id) : [...groups, head.group.id],
    });
  };
  const ask = (asked: GroupAsk) => {
    const { what, group } = asked;
    if (group && what === 'addItem') {
      adding.current?.to(group.id);
    } else if (group && (what === 'up' || what === 'down')) {
      const position = groupPlace(table.meta.groups, group.id).at + (what === 'up' ? -1 : 1);
      groupRequests.update(board.id, group.id, { position }).then(
        () => say(`${group.name}, group ${position + 1} of ${table.meta.groups.length}`),
        (failure: unknown) => toast.problem("Couldn't move group", failure),
      );
    } else {
      setGrouping(asked);
    }
  };
  /** Shows or hides the subitems of the item of a line, of a subitem those that it stands among. */
  const unfold = (line: number, isShown?: boolean) => {
    const row = lines[line];
    const item =
      typeof row === 'number'
        ? (table.parent(row) ?? table.id(row))
        : typeof row === 'object' && 'addTo' in row
          ? row.addTo
          : null;
    if (item === null) return;
    const shows = isShown ?? !unfolded.has(item);
    if (shows === unfolded.has(item)) return;
    const next = new Set(unfolded);
    if (shows) next.add(item);
    else next.delete(item);
    setUnfolded(next);
    const parent = lines.findIndex((one) => typeof one === 'number' && table.id(one) === item);
    // An item without any goes on to the line that adds the first.
    go({ line: shows && !table.subitems.has(item) ? parent + 1 : parent, column: 0 }, lines.length + 1);
  };
  const newest = useRef<RowActions>(undefined);
  newest.current = {
    focus: setPlace,
    open: (at) => {
      setPlace(at);
      const row = lines[at.line];
      const spec = shown[at.column]?.column;
      if (spec?.type === 'formula' && typeof row === 'number') onOpenFormula(spec, table.id(row));
      else if (spec?.type === 'file' && typeof row === 'number') onOpenFiles(spec, table.id(row));
      else setEditing({ ...at, typed: null });
    },
    commit,
    done: (move, isLeft) => {
      setEditing(null);
      // Who clicked another cell stays there, whatever became of what was typed.
      wantsFocus.current = !isLeft;
      if (!move) return;
      const from = editing ?? place;
      const isTab = move.column !== from.column;
      const begun = tabs.current?.column ?? from.column;
      const to = isTab
        ? tabbed(lines, shown, from, move.column - from.column)
        : clamp({ line: move.line, column: begun });
      go(to);
      if (isTab)
        tabs.current = {
          column: begun,
          end: to.line === from.line && to.column === from.column ? to : null,
          isSaid: false,
        };
    },
    toggle: (line, column) => commit({ line, column }, valueAt(line, column) !== true),
    fold,
    group: ask,
    drop: (at, files) => {
      const row = lines[at.line];
      const spec = shown[at.column]?.column;
      setPlace(at);
      if (spec && typeof row === 'number' && files.length > 0) onOpenFiles(spec, table.id(row), files);
    },
    remove: onDelete,
    openItem: onOpenItem,
    unfold: (line) => unfold(line),
    addSubitem: onAddSubitem,
  };
  // The same object for as long as the table is there; what it calls is the newest.
  const actions = useMemo<RowActions>(
    () =>
      new Proxy({} as RowActions, {
        get:
          (_, name) =>
          (...values: unknown[]) =>
            (newest.current![name as keyof RowActions] as (...values: unknown[]) => void)(...values),
      }),
    [],
  );

  useEditAgain(({ item, column: id, text }) => {
    const at = {
      line: lines.findIndex((one) => typeof one === 'number' && table.id(one) === item),
      column: shown.findIndex(({ column }) => column.id === id),
    };
    if (at.line < 0 || at.column < 0) return false;
    go(at);
    setEditing({ ...at, typed: null, again: text });
    return true;
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (editing) return;
    const { line, column } = place;
    if (event.altKey && event.key === 'Enter') {
      event.preventDefault();
      return (event.target as Element).querySelector<HTMLElement>('a.follow')?.click();
    }
    if (event.altKey) {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      return unfold(line, event.key === 'ArrowDown');
    }
    const isCommand = event.ctrlKey || event.metaKey;
    const end = event.shiftKey && ranges.length > 0 ? last.to : place;
    const page = Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / rowPx) - 2);
    const first = isCommand ? 0 : end.line;
    const isCell = (at: number) => typeof lines[at] === 'number';
    const isFilled = (at: number, of: number) => !isBlank(valueAt(at, of));
    const upOrDown = (by: 1 | -1) =>
      isCommand
        ? edgeFrom(end.line, by, lines.length, (at) => (isCell(at) ? isFilled(at, end.column) : null))
        : end.line + by;
    const sideways = (by: 1 | -1) => {
      if (!isCommand) return end.column + by;
      // Heads hold no cells: there it is the first or the last.
      return isCell(end.line)
        ? edgeFrom(end.column, by, shown.length, (at) => isFilled(end.line, at))
        : by > 0
          ? shown.length - 1
          : 0;
    };
    const moves: Record<string, () => Place> = {
      ArrowUp: () => ({ line: upOrDown(-1), column: end.column }),
      ArrowDown: () => ({ line: upOrDown(1), column: end.column }),
      ArrowLeft: () => ({ line: end.line, column: sideways(-1) }),
      ArrowRight: () => ({ line: end.line, column: sideways(1) }),
      PageUp: () => ({ line: end.line - page, column: end.column }),
      PageDown: () => ({ line: end.line + page, column: end.column }),
      Home: () => ({ line: first, column: 0 }),
      End: () => ({ line: isCommand ? lines.length - 1 : end.line, column: shown.length - 1 }),
    };
    const move = moves[event.key]?.();
    if (move) {
      event.preventDefault();
      if (event.shiftKey && line !== HEAD_LINE) return stretch(move);
      return go(move);
    }
    if (line === HEAD_LINE) return;
    if (isCommand) {
      const key = event.key.toLowerCase();
      if (key === 'a')
        setRanges([{ from: { line: 0, column: 0 }, to: { line: lines.length - 1, column: shown.length - 1 } }]);
      else if (key === ' ')
        setRanges(
          here.map(({ from, to }) => ({
            from: { line: 0, column: from.column },
            to: { line: lines.length - 1, column: to.column },
          })),
        );
      else if (key === 'd') write(filled(sheet, selected()));
      else if (key === 'z' && !event.shiftKey) outbox.undo();
      else if (key === 'y' || key === 'z') outbox.redo();
      else return;
      event.preventDefault();
      return;
    }
    if (event.key === 'Escape' && ranges.length > 0) {
      event.preventDefault();
      return setRanges([]);
    }
    if (event.key === ' ' && event.shiftKey) {
      event.preventDefault();
      return setRanges(here.map(({ from, to }) => across(from.line, to.line)));
    }
    // A cell is emptied by either key; items go by this one alone.
    if (event.key === 'Delete' && wholeItems.length > 0) {
      event.preventDefault();
      putAway('remove');
      // The keys go on where the items stood.
      return go({ line: Math.min(...boxes.map(({ top }) => top)), column });
    }
    const row = lines[line];
    const spec = shown[column]?.column;
    if (typeof row !== 'number') {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        fold(line);
      }
      return;
    }
    if (!spec) return;
    const before = table.cell(row, spec.id);
    if (spec.type === 'checkbox' && (event.key === ' ' || event.key === 'Enter')) {
      event.preventDefault();
      commit(place, before !== true);
    } else if (spec.id === NAME.id && event.key === ' ') {
      event.preventDefault();
      onOpenItem(table.id(row), String(before ?? ''));
    } else if (spec.type === 'formula' && (event.key === 'Enter' || event.key === 'F2')) {
      event.preventDefault();
      onOpenFormula(spec, table.id(row));
    } else if (spec.type === 'file' && (event.key === 'Enter' || event.key === 'F2')) {
      event.preventDefault();
      onOpenFiles(spec, table.id(row));
    } else if (isReadOnly(spec)) {
      return;
    } else if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      setEditing({ line, column, typed: null });
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      // Names are kept; where there is nothing else to empty, that is said.
      const isNames = selected().columns.every((at) => shown[at]?.column.id === NAME.id);
      if (ranges.length > 0 && !isNames) write(cleared(sheet, selected()));
      else commit(place, null);
    } else if (event.key.length === 1 && spec.type !== 'checkbox' && spec.type !== 'file') {
      event.preventDefault();
      // What was just saved is not written over by who takes this cell for the next one.
      const end = tabs.current?.end;
      if (end && end.line === line && end.column === column) {
        if (!tabs.current!.isSaid) toast.done('No next cell', { detail: 'Press Enter to edit this one.' });
        tabs.current!.isSaid = true;
        return;
      }
      // A letter is not lost: it begins the text. In a list of choices it only opens it.
      setEditing({ line, column, typed: event.key });
    }
  };

  const placeOf = (target: EventTarget | null): (Place & { isHead: boolean }) | null => {
    if (!(target instanceof Element)) return null;
    const line = target.closest<HTMLElement>('.grid-item')?.dataset.line;
    const head = target.closest('[data-row-head]');
    const column = head ? '0' : target.closest<HTMLElement>('[data-column]')?.dataset.column;
    return line === undefined || column === undefined
      ? null
      : { line: Number(line), column: Number(column), isHead: head !== null };
  };
  const onPointerDown = (event: PointerEvent) => {
    const target = event.target as Element;
    const at = placeOf(target);
    if (!at || event.button !== 0 || target.closest('button, input, select, a')) return;
    if (editing) {
      if (at.line === editing.line && at.column === editing.column) return;
      // What was typed is saved, or refused, before anything else is chosen.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      wantsFocus.current = false;
    }
    const isFilling = target.closest('[data-handle]') !== null;
    const isMore = event.ctrlKey || event.metaKey;
    const begun: Range = isFilling
      ? last
      : event.shiftKey
        ? { from: last.from, to: at }
        : at.isHead
          ? across(at.line, at.line)
          : { from: at, to: at };
    let now = at.isHead && event.shiftKey ? across(last.from.line, at.line) : begun;
    const others = isMore || isFilling ? here.slice(0, isFilling ? -1 : undefined) : [];
    const put = (range: Range) => {
      now = range;
      const isPlain =
        others.length === 0 && !at.isHead && range.from.line === range.to.line && range.from.column === range.to.column;
      setRanges(isPlain ? [] : [...others, range]);
    };
    if (isFilling || event.shiftKey || at.isHead || isMore) event.preventDefault();
    put(now);
    if (!event.shiftKey && !isFilling) {
      if (at.isHead || isMore) wantsFocus.current = true;
      setPlace({ line: at.line, column: at.column });
    }
    const onMove = (moved: globalThis.PointerEvent) => {
      const over = placeOf(moved.target);
      if (!over) return;
      if (isFilling)
        put({ from: begun.from, to: { line: Math.max(over.line, boxOf(begun).bottom), column: begun.to.column } });
      else if (at.isHead) put(across(now.from.line, over.line));
      else if (over.line !== now.to.line || over.column !== now.to.column) put({ from: now.from, to: over });
    };
    tabs.current = null;
    const onUp = () => {
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onUp);
      if (isFilling) fillRange.current?.(now);
    };
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onUp);
  };
  const fillRange = useRef<(range: Range) => void>(undefined);
  fillRange.current = (range) => write(filled(sheet, selectedCells([range], lines)));

  const present = useRef(held);
  useEffect(() => {
    present.current = held;
  }, [held]);
  const { onCopy, onPaste } = clipboardOf({
    sheet,
    selected,
    isOff: editing !== null || place.line === HEAD_LINE,
    write,
    say,
    onRefused: setRefused,
    present: () => present.current,
    onLooking: (by) => setLooking((count) => count + by),
  });

  const fields = useMemo(
    () => fieldsOf(all, held.meta.groups, held.meta.linked),
    [all, held.meta.groups, held.meta.linked],
  );
  const filterBy = (column: Column) => {
    const field = fields.find((one) => one.id === column.id);
    setIsFiltering(true);
    if (field)
      onSettings({
        ...settings,
        filter: withRules(settings.filter, [...rulesOf(settings.filter), newRule(subjectOf(board.id, fields), field)]),
      });
  };
  /** Items that are selected as such. */
  const isAcross =
    ranges.length > 0 &&
    ranges.every(
      ({ from, to, isItems }) =>
        isItems && Math.min(from.column, to.column) === 0 && Math.max(from.column, to.column) === shown.length - 1,
    );
  const wholeItems = isAcross
    ? selected().lines.flatMap((line) => (typeof lines[line] === 'number' ? table.id(lines[line]) : []))
    : [];
  const putAway = (where: 'archive' | 'remove') => {
    setRanges([]);
    onPutAway(where, wholeItems);
  };
  const hidden = all.filter((column) => settings.hiddenColumns?.includes(column.id));
  const matching = rows ? rows.length : table.count;
  const lastBox = boxOf(last);
  const hasFoot = isTotalled && lines.length > 0;
  return (
    <div className="grid-frame">
      <FilterBar
        board={board.id}
        fields={fields}
        unaskable={unaskable(all, fields)}
        members={members}
        filter={settings.filter}
        onFilter={(filter) => onSettings({ ...settings, filter })}
        search={search}
        onSearch={setSearch}
        inert={view.inert}
        matching={matching}
        of={table.count}
        isOpen={isFiltering}
        onOpen={setIsFiltering}
        hidden={hidden.map((column) => column.title)}
        onShowHidden={() => onSettings({ ...settings, hiddenColumns: [] })}
      />
      <ViewFault error={view.error} />
      {wholeItems.length > 0 && (
        <div className="grid-bulk" role="group" aria-label="Selected items">
          <span>{`${count(wholeItems.length, 'item')} selected`}</span>
          <Button onPress={() => putAway('archive')}>Archive</Button>
          <Button variant="danger" onPress={() => putAway('remove')}>
            Delete
          </Button>
        </div>
      )}
      <div className="grid-scroll" ref={setScroller}>
        {/* eslint-disable-next-line jsx-a11y/interactive-supports-focus -- One of the elements inside has the tab stop. */}
        <div
          role="grid"
          aria-label={`Items of ${board.name}`}
          aria-multiselectable
          aria-rowcount={lines.length + (hasFoot ? 2 : 1)}
          aria-colcount={shown.length + 2}
          onKeyDown={onKeyDown}
          onFocus={onFocus}
          onBlur={onBlur}
          onPointerDown={onPointerDown}
          onCopy={onCopy}
          onCut={onCopy}
          onPaste={onPaste}
        >
          <Head
            shown={shown}
            columns={all}
            settings={settings}
            template={template}
            here={place.line === HEAD_LINE ? place.column : -1}
            onSettings={onSettings}
            onFilter={filterBy}
            onRename={setNaming}
            onEdit={(column) => setChanging(column.id)}
            onDelete={setRemoving}
            onFocus={(column) => {
              if (place.line !== HEAD_LINE || place.column !== column) {
                wantsFocus.current = true;
                setPlace({ line: HEAD_LINE, column });
              }
            }}
            onSelectAll={() => setRanges([across(0, lines.length - 1)])}
            say={say}
          />
          {scroller && (
            <InView
              scroller={scroller}
              count={lines.length}
              rowPx={rowPx}
              head={HEAD_PX}
              foot={isTotalled ? rowPx : 0}
              kept={place.line}
              ref={body}
              draw={(index, top, isPassing) => {
                const line = lines[index]!;
                const reaching = boxes.filter((box) => index >= box.top && index <= box.bottom);
                return (
                  <Row
                    key={
                      typeof line === 'number'
                        ? table.id(line)
                        : 'addTo' in line
                          ? `add to ${line.addTo}`
                          : `line ${index}`
                    }
                    line={line}
                    index={index}
                    number={numbers[index]!}
                    top={top}
                    isPassing={isPassing}
                    rowPx={rowPx}
                    template={template}
                    shown={shown}
                    table={table}
                    members={members}
                    here={place.line === index ? place.column : -1}
                    editing={editing?.line === index ? editing : null}
                    boxes={reaching.length > 0 ? reaching : NO_BOXES}
                    handle={typeof line === 'number' && lastBox.bottom === index ? lastBox.right : -1}
                    totals={
                      typeof line === 'object' && 'totalsOf' in line ? totals?.groups[line.totalsOf.id] : undefined
                    }
                    chosenTotals={chosenTotals}
                    isUnfolded={typeof line === 'number' && unfolded.size > 0 && unfolded.has(table.id(line))}
                    actions={actions}
                  />
                );
              }}
            />
          )}
          {hasFoot && (
            <div
              role="row"
              aria-rowindex={lines.length + 2}
              className="grid-row grid-totals grid-foot"
              style={{ height: rowPx, gridTemplateColumns: template }}
            >
              <div
                role="gridcell"
                aria-colindex={1}
                className="grid-cell grid-gutter"
                aria-label="Totals of the board"
              />
              <TotalCells
                shown={shown}
                totals={totals?.all}
                chosen={chosenTotals}
                {...(isTotalledByGroup && { label: 'All groups' })}
              />
            </div>
          )}
        </div>
        {table.count === 0 && <NothingYet onAdd={() => adding.current?.to(table.meta.groups[0]?.id ?? '')} />}
        {matching === 0 && table.count > 0 && <NothingMatches of={count(table.count, 'item')} onClear={clearFilters} />}
      </div>
      {looking > 0 && (
        <div className="grid-looking" aria-hidden>
          Looking up items
        </div>
      )}
      <span className="sr-only" role="status">
        {said}
      </span>
      <AddItem
        groups={table.meta.groups}
        onAdd={(name, group) => write([], [{ id: newId(), name, cells: {}, ...(group ? { groupId: group } : {}) }])}
        onAsk={ask}
        ref={adding}
      />
      <GroupDialogs asked={grouping} table={table} onClose={() => setGrouping(null)} />
      {changing !== null && (
        <ColumnDialog isOpen onClose={() => setChanging(null)} column={changing} onSave={onAddColumn} />
      )}
      <NameDialog
        key={naming?.id ?? 'none'}
        isOpen={naming !== null}
        onClose={() => setNaming(null)}
        title="Rename column"
        action="Rename column"
        initial={naming?.title ?? ''}
        onSave={async (title) => {
          if (naming) await change.updateColumn(board.id, naming.id, { title, was: { title: naming.title } });
        }}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Delete ${removing?.title ?? ''}`}
        action="Delete column"
        onConfirm={() => {
          if (!removing) return;
          change.deleteColumn(board.id, removing.id).then(
            ({ made }) =>
              offerUndo(
                `Deleted ${removing.title}`,
                {
                  board: board.id,
                  left: ({ meta }) => meta.columns.some(({ id }) => id === removing.id),
                  stands: false,
                },
                () => outbox.takeBack(made),
              ),
            (failure: unknown) => toast.problem("Couldn't delete column", failure),
          );
        }}
      >
        Moves the column and its cells to Trash, in every view of this board. You can restore it for 30 days.
      </ConfirmDialog>
      <Dialog
        isOpen={refused.length > 0}
        onClose={() => setRefused([])}
        title={`${count(refused.length)} not changed`}
        actions={
          <Button autoFocus onPress={() => setRefused([])}>
            Close
          </Button>
        }
      >
        <p>Everything else was pasted. These values don't fit their columns:</p>
        <ul className="grid-refused">
          {refused.slice(0, REFUSALS_SHOWN).map(({ where, why }, at) => (
            <li key={at}>
              <strong>{where}</strong>: {why}
            </li>
          ))}
          {refused.length > REFUSALS_SHOWN && <li>{`and ${count(refused.length - REFUSALS_SHOWN)} more`}</li>}
        </ul>
      </Dialog>
    </div>
  );
}

const NO_TOTALS = {};
const NO_BOXES: [] = [];
