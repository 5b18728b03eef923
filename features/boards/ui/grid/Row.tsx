/** One line of a table: a group's head, an item, or a group's totals. Lines that did not change are not drawn again while others scroll. */
import { memo } from 'react';
import { Icon } from '@shell/components';
import type { GroupTotal } from '@shell/engine/types';
import type { Member } from '@shell/members';
import { CellBeingEdited } from '../Conflict';
import { isFiles, shownAs, type CellValue, type Column } from '../data';
import { Follow } from '../Follow';
import { show, showFull } from '../format';
import { NoResult } from '../formula/NoResult';
import { LabelPill } from '../LabelPill';
import { SubitemCount } from '../SubitemCount';
import { progressOf } from '../subitems';
import type { BoardTable } from '../table';
import { AddSubitem } from './AddSubitem';
import type { ShownColumn } from './columns';
import { GroupHead } from './GroupHead';
import type { GroupAsk } from './groups';
import type { GridLine } from './lines';
import { RowButton } from './RowButton';
import { within, type Box, type Place } from './selection';
import { TotalCells, type TotalName } from './totals';

/** The cell being edited, and the character that started it. */
export interface Editing extends Place {
  typed: string | null;
  /** What was typed before and not taken. */
  again?: string | undefined;
}

/** Callbacks from rows to their table; a stable object. */
export interface RowActions {
  focus: (place: Place) => void;
  open: (place: Place) => void;
  /** `was` is what the cell held when editing began. */
  commit: (place: Place, value: CellValue, was?: CellValue) => void;
  /** `isLeft` says that the focus is elsewhere already. */
  done: (move: Place | null, isLeft?: boolean) => void;
  toggle: (line: number, column: number) => void;
  fold: (line: number) => void;
  group: (asked: GroupAsk) => void;
  /** Files were dropped on a cell of files. */
  drop: (place: Place, files: readonly File[]) => void;
  remove: (item: string, name: string) => void;
  openItem: (item: string, name: string) => void;
  /** Shows an item's subitems below it, or hides them. */
  unfold: (line: number) => void;
  addSubitem: (parent: string, name: string) => void;
}

export interface RowProps {
  line: GridLine;
  index: number;
  /** Which of the items that are shown it is. */
  number: number;
  top: number;
  /** Whether the board scrolls past it: then it has no buttons yet, which nobody can press. */
  isPassing: boolean;
  rowPx: number;
  template: string;
  shown: readonly ShownColumn[];
  table: BoardTable;
  members: readonly Member[];
  /** The column with the focus, or -1. */
  here: number;
  editing: Editing | null;
  /** Selected rectangles that reach this line. */
  boxes: readonly Box[];
  /** The column in whose corner what is selected can be filled down from, or -1. */
  handle: number;
  totals: GroupTotal | undefined;
  chosenTotals: Record<string, TotalName | undefined>;
  /** Whether its subitems stand below it. */
  isUnfolded: boolean;
  actions: RowActions;
}

/** One for all lines: making it takes longer than a line does. */
const wholes = new Intl.NumberFormat();

export const Row = memo(function Row(props: RowProps) {
  const {
    line,
    index,
    number,
    top,
    isPassing,
    rowPx,
    template,
    shown,
    table,
    members,
    here,
    editing,
    boxes,
    handle,
    totals,
    chosenTotals,
    isUnfolded,
    actions,
  } = props;
  const frame = { role: 'row', 'aria-rowindex': index + 2, 'data-line': index } as const;
  const style = { top, height: rowPx, gridTemplateColumns: template };
  if (typeof line !== 'number' && 'group' in line) {
    return (
      <div {...frame} className="grid-row grid-group" style={{ top, height: rowPx }}>
        <GroupHead line={line} index={index} groups={table.meta.groups} here={here} actions={actions} />
      </div>
    );
  }
  if (typeof line !== 'number' && 'addTo' in line) {
    return (
      <div {...frame} className="grid-row grid-subadd" style={style}>
        <AddSubitem line={line} index={index} columns={shown.length} here={here} table={table} actions={actions} />
      </div>
    );
  }
  if (typeof line !== 'number') {
    return (
      <div {...frame} className="grid-row grid-totals" style={style}>
        <div
          role="gridcell"
          aria-colindex={1}
          data-column={here >= 0 ? here : 0}
          tabIndex={here >= 0 ? 0 : -1}
          className="grid-cell grid-gutter"
          aria-label={`Totals of ${line.totalsOf.name}`}
          onFocus={() => actions.focus({ line: index, column: Math.max(here, 0) })}
        />
        <TotalCells shown={shown} totals={totals} chosen={chosenTotals} />
      </div>
    );
  }
  const item = table.id(line);
  const name = String(table.cell(line, 'name') ?? '');
  const selected = (at: number) => boxes.some((box) => within(box, index, at));
  const isSubitem = table.parent(line) !== null;
  const progress = isSubitem ? null : progressOf(table, item);
  return (
    <div {...frame} className="grid-row grid-item" style={style}>
      <div
        role="rowheader"
        aria-colindex={1}
        aria-label={`Row of ${name}`}
        className="grid-cell grid-gutter"
        data-row-head
        data-selected={(selected(0) && selected(shown.length - 1)) || undefined}
      >
        {wholes.format(number)}
      </div>
      {shown.map(({ column, left }, at) => {
        const value = table.cell(line, column.id);
        const isEditing = editing?.column === at;
        return (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- The field that keeps the focus handles the keys.
          <div
            role="gridcell"
            key={column.id}
            aria-colindex={at + 2}
            aria-selected={selected(at)}
            data-column={at}
            data-first={at === 0 || undefined}
            data-sub={(at === 0 && isSubitem) || undefined}
            aria-expanded={at === 0 && progress ? isUnfolded : undefined}
            data-frozen={left !== null || undefined}
            data-editing={isEditing || undefined}
            data-selected={selected(at) || undefined}
            data-numeric={shownAs(column).type === 'number' || undefined}
            className="grid-cell"
            style={left === null ? undefined : { left }}
            tabIndex={here === at && !isEditing ? 0 : -1}
            onFocus={(event) => event.target === event.currentTarget && actions.focus({ line: index, column: at })}
            onDoubleClick={() => column.type !== 'checkbox' && actions.open({ line: index, column: at })}
            {...(column.type === 'file' && {
              onDragOver: (event) => event.preventDefault(),
              onDrop: (event) => {
                event.preventDefault();
                actions.drop({ line: index, column: at }, [...event.dataTransfer.files]);
              },
            })}
            onClick={(event) =>
              column.type === 'checkbox' &&
              !event.shiftKey &&
              !event.ctrlKey &&
              !event.metaKey &&
              actions.toggle(index, at)
            }
          >
            {at === 0 && !isSubitem && !isEditing && (
              // Alt and the arrows do the same from the cell.
              <span
                className="grid-unfold"
                data-has={progress !== null || undefined}
                onDoubleClick={(event) => event.stopPropagation()}
              >
                {(progress || !isPassing) && (
                  <RowButton
                    icon={isUnfolded ? 'chevronDown' : progress ? 'chevronRight' : 'plus'}
                    label={
                      isUnfolded
                        ? `Hide subitems of ${name}`
                        : progress
                          ? `Show subitems of ${name}`
                          : `Add subitems to ${name}`
                    }
                    keys={isUnfolded ? 'Alt ↑' : 'Alt ↓'}
                    onPress={() => actions.unfold(index)}
                  />
                )}
              </span>
            )}
            {isEditing ? (
              <CellBeingEdited
                column={column}
                value={value}
                members={members}
                typed={editing.typed}
                again={editing.again}
                item={item}
                label={`${column.title} of ${name}`}
                onCommit={(next, was) => actions.commit({ line: index, column: at }, next, was)}
                onDone={(step, isLeft) =>
                  actions.done(step ? { line: index + step.lines, column: at + step.columns } : null, isLeft)
                }
              />
            ) : (
              <>
                <CellText
                  column={column}
                  value={value}
                  members={members}
                  place={{ board: table.meta.board.id, item, isHere: here === at }}
                />
                <Follow column={column} value={value} />
              </>
            )}
            {at === 0 && !isEditing && <SubitemCount progress={progress} />}
            {at === 0 && !isEditing && !isPassing && (
              // Space does the same from the cell, so that the button is no stop of its own.
              <span className="grid-open" onDoubleClick={(event) => event.stopPropagation()}>
                <RowButton
                  icon="eye"
                  label={`Open ${name}`}
                  keys="Space"
                  onPress={() => actions.openItem(item, name)}
                />
              </span>
            )}
            {handle === at && !isEditing && <span className="grid-handle" data-handle aria-hidden="true" />}
          </div>
        );
      })}
      <div role="gridcell" aria-colindex={shown.length + 2} className="grid-cell grid-actions">
        {!isPassing && (
          <RowButton
            icon="trash"
            label={`Delete ${name}`}
            isTabStop={here >= 0}
            onPress={() => actions.remove(item, name)}
          />
        )}
      </div>
    </div>
  );
});

interface CellTextProps {
  column: Column;
  value: CellValue;
  members: readonly Member[];
  place: { board: string; item: string; isHere: boolean };
}

/** Displayed value of a cell that isn't being edited. */
export function CellText({ column: spec, value, members, place }: CellTextProps) {
  if (spec.type === 'formula' && (value === null || value === undefined)) return <NoResult column={spec} {...place} />;
  const column = shownAs(spec);
  if (column.type === 'status' || column.type === 'dropdown') {
    const label = column.settings.labels?.find((one) => one.id === value);
    return label ? <LabelPill label={label} /> : null;
  }
  if (column.type === 'checkbox') {
    return (
      <span
        className="grid-check"
        data-on={value === true || undefined}
        role="img"
        aria-label={value === true ? 'Yes' : 'No'}
      />
    );
  }
  const text = show(value, column, members);
  if (isFiles(value)) {
    return (
      <span className="grid-files" title={text}>
        <Icon name="file" />
        <span className="grid-files-count">{value.length}</span>
        <span className="grid-text">{text}</span>
      </span>
    );
  }
  return (
    <span className="grid-text" title={typeof value === 'number' ? showFull(value, column, members) : text}>
      {text}
    </span>
  );
}
