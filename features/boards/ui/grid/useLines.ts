/** The columns and lines that the table shows, with its totals. */
import { useMemo, useState } from 'react';
import type { BoardTable } from '../table';
import { useViewRows, type ViewSettings } from '../view';
import { shownColumns } from './columns';
import { linesOf, numbersOf } from './lines';
import { hasTotals } from './totals';

export function useLines(held: BoardTable, settings: ViewSettings, search: string) {
  const all = held.meta.columns;
  const { hiddenColumns, columnOrder, widths, frozen, foldedGroups: folded } = settings;
  // A filter says nothing of columns: with them the lines would be drawn again.
  const shown = useMemo(
    () => shownColumns(all, { hiddenColumns, columnOrder, widths, frozen }),
    [all, hiddenColumns, columnOrder, widths, frozen],
  );
  const isTotalled = hasTotals(shown);
  const view = useViewRows(held, settings, { search, totals: isTotalled });
  const { table, rows } = view;
  // The only group comes to what the board comes to, which stands below.
  const isTotalledByGroup = isTotalled && table.meta.groups.length > 1;
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(
    () => linesOf(table, { rows, folded: folded ?? [], unfolded, hasTotals: isTotalledByGroup }),
    [table, rows, folded, unfolded, isTotalledByGroup],
  );
  const numbers = useMemo(() => numbersOf(lines), [lines]);
  return { shown, view, lines, numbers, isTotalled, isTotalledByGroup, unfolded, setUnfolded };
}
