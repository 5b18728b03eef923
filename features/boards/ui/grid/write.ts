/** Writes edits in the table and changes to selected items. */
import { toast } from '@shell/components';
import { sameValue, type CellValue } from '../data';
import type { CellChange, NewItem } from '../outbox/step';
import type { Outbox } from '../outbox/useOutbox';
import { NAME } from './columns';
import { applied, type Sheet } from './edits';
import type { Place } from './selection';
import type { Cursor } from './useCursor';

interface WriteOptions {
  sheet: Sheet;
  cursor: Cursor;
  /** Called with the items that are added. */
  noteAdded: (add: readonly NewItem[]) => void;
  send: Outbox['write'];
}

export function writerOf({ sheet, cursor: { ranges, selected }, noteAdded, send }: WriteOptions) {
  const write = (changes: readonly CellChange[], add: readonly NewItem[] = []) => {
    noteAdded(add);
    const names = changes.filter(
      ({ column, after }) => column === NAME.id && (after === null || String(after).trim() === ''),
    );
    if (names.length > 0) toast.problem('Item name is required', new Error('Enter a name or delete the item.'));
    return send({ cells: names.length > 0 ? changes.filter((one) => !names.includes(one)) : changes, add });
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
  return { write, commit };
}

/** The ids of the items that are selected whole. */
export function wholeItemsOf({ table, lines, shown }: Sheet, { ranges, selected }: Cursor): string[] {
  const isAcross =
    ranges.length > 0 &&
    ranges.every(
      ({ from, to, isItems }) =>
        isItems && Math.min(from.column, to.column) === 0 && Math.max(from.column, to.column) === shown.length - 1,
    );
  return isAcross
    ? selected().lines.flatMap((line) => (typeof lines[line] === 'number' ? table.id(lines[line]) : []))
    : [];
}
