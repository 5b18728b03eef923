/**
 * The table of a board as an ARIA grid that works as a spreadsheet. Arrows move, Shift selects, Enter or typing edits, Escape
 * cancels. Delete empties cells, and deletes items selected with Shift+Space or their row heads. Alt+Down and Alt+Up show and
 * hide subitems, Alt+Enter follows a cell's link, and Ctrl+C, X, V, D, and Z work as everywhere. Only the lines in view exist in
 * the document, so that a board of any size scrolls alike.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '@shell/components';
import { newRule, rulesOf, withRules } from '@shell/filters/rules';
import type { Member } from '@shell/members';
import { useEditAgain } from '../again';
import type { CellValue, Column, ColumnSettings, ColumnType } from '../data';
import { useRowPx } from '../display';
import { useHiddenAdded } from '../hidden';
import { newId } from '../outbox/step';
import type { Outbox } from '../outbox/useOutbox';
import type { BoardTable } from '../table';
import { choosesItems, type ViewSettings } from '../view';
import { AddItem, type AddItemHandle } from './AddItem';
import { GUTTER_PX } from './columns';
import { clipboardOf, count } from './copyPaste';
import { filled, type Refusal, type Sheet } from './edits';
import { FilterBar } from './FilterBar';
import { ColumnDialogs, RefusedValues, type ColumnAsk } from './GridDialogs';
import { GridFoot, GridLines } from './GridLines';
import { GroupDialogs } from './GroupDialogs';
import type { GroupAsk } from './groups';
import { Head } from './Head';
import type { InViewHandle } from './InView';
import { keysOf } from './keys';
import { NothingMatches, NothingYet } from './Nothing';
import { fieldsOf, subjectOf, unaskable } from './rules';
import { selectedCells } from './selection';
import type { TotalName } from './totals';
import { HEAD_LINE, useAddedColumn, useCursor } from './useCursor';
import { useLines } from './useLines';
import { usePointerSelection } from './usePointerSelection';
import { useRowActions } from './useRowActions';
import { wholeItemsOf, writerOf } from './write';
import { ViewFault } from '../views/ViewFault';
import './grid.css';

const NO_TOTALS = {};

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
  const rows = useLines(held, settings, search);
  const { shown, view, lines } = rows;
  const { table } = view;
  const template = `${GUTTER_PX}px ${shown.map(({ width }) => `${width}px`).join(' ')} 40px`;
  const chosenTotals = (settings.columnTotals ?? NO_TOTALS) as Record<string, TotalName | undefined>;
  const rowPx = useRowPx();
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const [columnAsk, setColumnAsk] = useState<ColumnAsk>(null);
  const [said, say] = useState('');
  /** Pastes that look up what they name. */
  const [looking, setLooking] = useState(0);
  const [grouping, setGrouping] = useState<GroupAsk | null>(null);
  const adding = useRef<AddItemHandle>(null);
  const body = useRef<InViewHandle>(null);
  const cursor = useCursor({ table, lines, shown, scroller, body });
  const { place, setPlace, setRanges, editing, setEditing, selected, go, across } = cursor;
  useAddedColumn(added, shown, columnAsk?.what === 'change', go);

  const sheet: Sheet = { table, lines, shown, members };
  const clearFilters = () => {
    setSearch('');
    onSettings({ ...settings, filter: undefined });
  };
  const noteAdded = useHiddenAdded(view, {
    isSearch: !choosesItems(settings.filter),
    open: onOpenItem,
    clear: clearFilters,
  });
  const { write, commit } = writerOf({ sheet, cursor, noteAdded, send: outbox.write });
  const valueAt = (line: number, column: number): CellValue => {
    const row = lines[line];
    return typeof row === 'number' ? table.cell(row, shown[column]?.column.id ?? '') : null;
  };
  const { actions, fold, unfold, ask, openCell } = useRowActions({
    sheet,
    cursor,
    settings,
    onSettings,
    rows,
    adding,
    commit,
    valueAt,
    say,
    onGroupAsk: setGrouping,
    onDelete,
    onAddSubitem,
    onOpenFormula,
    onOpenFiles,
    onOpenItem,
  });
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

  const wholeItems = wholeItemsOf(sheet, cursor);
  const putAway = (where: 'archive' | 'remove') => {
    setRanges([]);
    onPutAway(where, wholeItems);
  };
  const onKeyDown = keysOf({
    sheet,
    cursor,
    pageLines: Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / rowPx) - 2),
    outbox,
    write,
    commit,
    valueAt,
    fold,
    unfold,
    openCell,
    onOpenItem,
    hasWholeItems: wholeItems.length > 0,
    removeItems: () => putAway('remove'),
  });
  const onPointerDown = usePointerSelection(cursor, (range) => write(filled(sheet, selectedCells([range], lines))));

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
  const hidden = all.filter((column) => settings.hiddenColumns?.includes(column.id));
  const matching = view.rows ? view.rows.length : table.count;
  const hasFoot = rows.isTotalled && lines.length > 0;
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
      {wholeItems.length > 0 && <BulkActions items={wholeItems.length} onPutAway={putAway} />}
      <div className="grid-scroll" ref={setScroller}>
        {/* eslint-disable-next-line jsx-a11y/interactive-supports-focus -- One of the elements inside has the tab stop. */}
        <div
          role="grid"
          aria-label={`Items of ${board.name}`}
          aria-multiselectable
          aria-rowcount={lines.length + (hasFoot ? 2 : 1)}
          aria-colcount={shown.length + 2}
          onKeyDown={onKeyDown}
          onFocus={cursor.onFocus}
          onBlur={cursor.onBlur}
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
            onRename={(column) => setColumnAsk({ what: 'rename', column })}
            onEdit={(column) => setColumnAsk({ what: 'change', column: column.id })}
            onDelete={(column) => setColumnAsk({ what: 'delete', column })}
            onFocus={(column) => {
              if (place.line !== HEAD_LINE || place.column !== column) {
                cursor.wantsFocus.current = true;
                setPlace({ line: HEAD_LINE, column });
              }
            }}
            onSelectAll={() => setRanges([across(0, lines.length - 1)])}
            say={say}
          />
          {scroller && (
            <GridLines
              rows={rows}
              members={members}
              cursor={cursor}
              scroller={scroller}
              rowPx={rowPx}
              template={template}
              chosenTotals={chosenTotals}
              actions={actions}
              ref={body}
            />
          )}
          {hasFoot && <GridFoot rows={rows} rowPx={rowPx} template={template} chosenTotals={chosenTotals} />}
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
      <ColumnDialogs
        board={board.id}
        asked={columnAsk}
        outbox={outbox}
        onClose={() => setColumnAsk(null)}
        onSave={onAddColumn}
      />
      <RefusedValues refused={refused} onClose={() => setRefused([])} />
    </div>
  );
}

/** Actions on the selected items. */
const BulkActions = ({ items, onPutAway }: { items: number; onPutAway: (where: 'archive' | 'remove') => void }) => (
  <div className="grid-bulk" role="group" aria-label="Selected items">
    <span>{`${count(items, 'item')} selected`}</span>
    <Button onPress={() => onPutAway('archive')}>Archive</Button>
    <Button variant="danger" onPress={() => onPutAway('remove')}>
      Delete
    </Button>
  </div>
);
