/** The table's keyboard, which works as a spreadsheet's. */
import type { KeyboardEvent } from 'react';
import { toast } from '@shell/components';
import { isBlank, isReadOnly, type CellValue } from '../data';
import type { CellChange } from '../outbox/step';
import type { Outbox } from '../outbox/useOutbox';
import { NAME } from './columns';
import { cleared, filled, type Sheet } from './edits';
import { edgeFrom, type Place } from './selection';
import { HEAD_LINE, type Cursor } from './useCursor';

interface KeyOptions {
  sheet: Sheet;
  cursor: Cursor;
  /** Lines in view. */
  pageLines: number;
  outbox: Pick<Outbox, 'undo' | 'redo'>;
  write: (changes: readonly CellChange[]) => unknown;
  commit: (at: Place, value: CellValue) => void;
  valueAt: (line: number, column: number) => CellValue;
  /** Folds or unfolds the group of a line. */
  fold: (line: number) => void;
  /** Shows or hides an item's subitems. */
  unfold: (line: number, isShown: boolean) => void;
  /** Opens what a cell of a formula or of files leads to; false for any other cell. */
  openCell: (at: Place) => boolean;
  onOpenItem: (item: string, name: string) => void;
  hasWholeItems: boolean;
  /** Deletes the items that are selected whole. */
  removeItems: () => void;
}

export function keysOf({
  sheet,
  cursor,
  pageLines: page,
  outbox,
  write,
  commit,
  valueAt,
  fold,
  unfold,
  openCell,
  onOpenItem,
  hasWholeItems,
  removeItems,
}: KeyOptions) {
  const { table, lines, shown } = sheet;
  const { place, ranges, setRanges, editing, setEditing, here, last, boxes, selected, go, stretch, across, tabs } =
    cursor;
  /** The cell that an arrow or a page key leads to. */
  const moved = (event: KeyboardEvent): Place | undefined => {
    const isCommand = event.ctrlKey || event.metaKey;
    const end = event.shiftKey && ranges.length > 0 ? last.to : place;
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
    return moves[event.key]?.();
  };
  const onCommand = (event: KeyboardEvent) => {
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
  };
  const onCellKey = (event: KeyboardEvent, row: number) => {
    const { line, column } = place;
    const spec = shown[column]?.column;
    if (!spec) return;
    const before = table.cell(row, spec.id);
    if (spec.type === 'checkbox' && (event.key === ' ' || event.key === 'Enter')) {
      event.preventDefault();
      commit(place, before !== true);
    } else if (spec.id === NAME.id && event.key === ' ') {
      event.preventDefault();
      onOpenItem(table.id(row), String(before ?? ''));
    } else if ((event.key === 'Enter' || event.key === 'F2') && openCell(place)) {
      event.preventDefault();
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
  return (event: KeyboardEvent) => {
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
    const move = moved(event);
    if (move) {
      event.preventDefault();
      return event.shiftKey && line !== HEAD_LINE ? stretch(move) : go(move);
    }
    if (line === HEAD_LINE) return;
    if (event.ctrlKey || event.metaKey) return onCommand(event);
    if (event.key === 'Escape' && ranges.length > 0) {
      event.preventDefault();
      return setRanges([]);
    }
    if (event.key === ' ' && event.shiftKey) {
      event.preventDefault();
      return setRanges(here.map(({ from, to }) => across(from.line, to.line)));
    }
    // A cell is emptied by either key; items go by this one alone.
    if (event.key === 'Delete' && hasWholeItems) {
      event.preventDefault();
      removeItems();
      // The keys go on where the items stood.
      return go({ line: Math.min(...boxes.map(({ top }) => top)), column });
    }
    const row = lines[line];
    if (typeof row === 'number') return onCellKey(event, row);
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      fold(line);
    }
  };
}
