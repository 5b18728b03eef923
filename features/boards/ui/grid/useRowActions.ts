/** Everything that a line of the table can ask for. */
import { useMemo, useRef, type RefObject } from 'react';
import { toast } from '@shell/components';
import type { CellValue, Column } from '../data';
import type { ViewSettings } from '../view';
import type { AddItemHandle } from './AddItem';
import type { Sheet } from './edits';
import { groups as groupRequests, placeOf as groupPlace, type GroupAsk } from './groups';
import type { RowActions } from './Row';
import type { Place } from './selection';
import { tabbed } from './steps';
import type { Cursor } from './useCursor';
import type { useLines } from './useLines';

interface ActionOptions {
  sheet: Sheet;
  cursor: Cursor;
  settings: ViewSettings;
  onSettings: (settings: ViewSettings) => void;
  rows: Pick<ReturnType<typeof useLines>, 'unfolded' | 'setUnfolded'>;
  adding: RefObject<AddItemHandle | null>;
  commit: (at: Place, value: CellValue, was?: CellValue) => void;
  valueAt: (line: number, column: number) => CellValue;
  /** Announces something to screen readers. */
  say: (text: string) => void;
  onGroupAsk: (asked: GroupAsk) => void;
  onDelete: (item: string, name: string) => void;
  onAddSubitem: (parent: string, name: string) => void;
  onOpenFormula: (column: Column, item: string) => void;
  onOpenFiles: (column: Column, item: string, dropped?: readonly File[]) => void;
  onOpenItem: (item: string, name: string) => void;
}

export function useRowActions({
  sheet: { table, lines, shown },
  cursor: { place, setPlace, editing, setEditing, clamp, go, wantsFocus, tabs },
  settings,
  onSettings,
  rows: { unfolded, setUnfolded },
  adding,
  commit,
  valueAt,
  say,
  onGroupAsk,
  onDelete,
  onAddSubitem,
  onOpenFormula,
  onOpenFiles,
  onOpenItem,
}: ActionOptions) {
  const fold = (line: number) => {
    const head = lines[line];
    if (typeof head !== 'object' || !('group' in head)) return;
    const groups = settings.foldedGroups ?? [];
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
      groupRequests.update(table.meta.board.id, group.id, { position }).then(
        () => say(`${group.name}, group ${position + 1} of ${table.meta.groups.length}`),
        (failure: unknown) => toast.problem("Couldn't move group", failure),
      );
    } else {
      onGroupAsk(asked);
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
  const openCell = (at: Place): boolean => {
    const row = lines[at.line];
    const spec = shown[at.column]?.column;
    if (typeof row !== 'number' || (spec?.type !== 'formula' && spec?.type !== 'file')) return false;
    if (spec.type === 'formula') onOpenFormula(spec, table.id(row));
    else onOpenFiles(spec, table.id(row));
    return true;
  };
  const newest = useRef<RowActions>(undefined);
  newest.current = {
    focus: setPlace,
    open: (at) => {
      setPlace(at);
      if (!openCell(at)) setEditing({ ...at, typed: null });
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
  return { actions, fold, unfold, ask, openCell };
}
