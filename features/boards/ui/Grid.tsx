/**
 * The table of a board as an ARIA grid: arrows move, Enter or typing edits, Escape leaves, Delete empties, Space on a name
 * opens its item. Only the lines in view exist in the document, so a board of any size scrolls alike.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { IconButton, toast } from '@shell/components';
import { CellBeingEdited } from './Conflict';
import { isReadOnly, type CellValue, type Column, type Member } from './data';
import { useRowPx } from './display';
import { show } from './format';
import { LabelPill } from './LabelPill';
import type { BoardTable, Line } from './table';

/** The line of titles, which stays in view; boards.css has it too. */
const HEAD_PX = 36;
const NAME_PX = 280;
const OVERSCAN = 12;

const NAME: Column = { id: 'name', title: 'Name', type: 'text', settings: {} };

const widthOf = (column: Column): number => {
  switch (column.type) {
    case 'longText':
    case 'link':
      return 240;
    case 'text':
    case 'tags':
    case 'people':
    case 'email':
      return 180;
    case 'timeline':
    case 'itemLink':
    case 'sprint':
    case 'createdAt':
    case 'updatedAt':
      return 200;
    case 'checkbox':
    case 'rating':
      return 96;
    default:
      return 136;
  }
};

interface GridProps {
  table: BoardTable;
  members: readonly Member[];
  /** `was` is what the cell held when editing began. */
  onEdit: (item: string, column: string, value: CellValue, was: CellValue) => void;
  onDelete: (item: string, name: string) => void;
  onAdd: (name: string, group: string | undefined) => void;
  /** Shows the item at the side. */
  onOpenItem: (item: string, name: string) => void;
}

interface Place {
  line: number;
  column: number;
}

/** What is being edited, and the first letter that began it. */
interface Editing extends Place {
  typed: string | null;
}

export function Grid({ table, members, onEdit, onDelete, onAdd, onOpenItem }: GridProps) {
  const columns = [NAME, ...table.meta.columns];
  const template = columns.map((column, i) => `${i === 0 ? NAME_PX : widthOf(column)}px`).join(' ') + ' 40px';
  const rowPx = useRowPx();
  const scroller = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>({ line: 1, column: 0 });
  const [editing, setEditing] = useState<Editing | null>(null);
  const wantsFocus = useRef(false);
  const rows = useVirtualizer({
    count: table.lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollPaddingStart: HEAD_PX,
  });
  // Every board takes up another density at once; what was measured before no longer holds.
  useEffect(() => rows.measure(), [rows, rowPx]);

  const go = useCallback(
    (next: Place) => {
      const line = Math.max(0, Math.min(next.line, table.lines.length - 1));
      const column = Math.max(0, Math.min(next.column, columns.length - 1));
      wantsFocus.current = true;
      setPlace({ line, column });
      rows.scrollToIndex(line);
    },
    [rows, table.lines.length, columns.length],
  );
  useEffect(() => {
    if (!wantsFocus.current || editing) return;
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-line="${place.line}"] [data-column="${place.column}"]`);
    if (!cell) return;
    wantsFocus.current = false;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });

  const commit = (item: string, column: Column, value: CellValue, before: CellValue) => {
    if (isReadOnly(column) || JSON.stringify(value) === JSON.stringify(before)) return;
    if (column.id === 'name' && (value === null || String(value).trim() === '')) {
      toast.problem('An item keeps a name', new Error('Type one, or delete the item.'));
      return;
    }
    onEdit(item, column.id, value, before);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (editing) return;
    const { line, column } = place;
    const row = table.lines[line];
    const spec = columns[column];
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 2);
    const moves: Record<string, Place> = {
      ArrowUp: { line: line - 1, column },
      ArrowDown: { line: line + 1, column },
      ArrowLeft: { line, column: column - 1 },
      ArrowRight: { line, column: column + 1 },
      PageUp: { line: line - page, column },
      PageDown: { line: line + page, column },
      Home: { line: event.ctrlKey ? 0 : line, column: 0 },
      End: { line: event.ctrlKey ? table.lines.length - 1 : line, column: columns.length - 1 },
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      return go(move);
    }
    if (typeof row !== 'number' || !spec || event.metaKey || event.altKey) return;
    const item = table.id(row);
    const before = table.cell(row, spec.id);
    if (spec.type === 'checkbox' && (event.key === ' ' || event.key === 'Enter')) {
      event.preventDefault();
      commit(item, spec, before !== true, before);
    } else if (spec.id === NAME.id && event.key === ' ') {
      event.preventDefault();
      onOpenItem(item, String(before ?? ''));
    } else if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      setEditing({ line, column, typed: null });
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      commit(item, spec, null, before);
    } else if (event.key.length === 1 && !event.ctrlKey && spec.type !== 'checkbox') {
      event.preventDefault();
      // A letter is not lost: it begins the text. In a list of choices it only opens it.
      setEditing({ line, column, typed: event.key });
    }
  };

  const done = (move: Place | null) => {
    setEditing(null);
    wantsFocus.current = true;
    if (move) go(move);
  };

  const lastGroup = table.meta.groups.at(-1)?.id;
  return (
    <div className="grid-frame">
      <div className="grid-scroll" ref={scroller}>
        <div role="grid" aria-label={`Items of ${table.meta.board.name}`} aria-rowcount={table.lines.length + 1} aria-colcount={columns.length + 1} onKeyDown={onKeyDown}>
          <div role="row" aria-rowindex={1} className="grid-row grid-head" style={{ gridTemplateColumns: template }}>
            {columns.map((column, i) => (
              <div role="columnheader" key={column.id} aria-colindex={i + 1} className="grid-cell" data-first={i === 0 || undefined} data-numeric={column.type === 'number' || undefined}>
                {column.title}
              </div>
            ))}
            <div role="columnheader" aria-colindex={columns.length + 1} className="grid-cell">
              <span className="sr-only">Actions</span>
            </div>
          </div>
          <div role="presentation" className="grid-body" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start }) => (
              <GridLine
                key={index}
                line={table.lines[index]!}
                index={index}
                top={start}
                rowPx={rowPx}
                template={template}
                columns={columns}
                table={table}
                members={members}
                here={place.line === index ? place.column : -1}
                editing={editing?.line === index ? editing : null}
                onPick={(column) => setPlace({ line: index, column })}
                onOpen={(column) => {
                  setPlace({ line: index, column });
                  setEditing({ line: index, column, typed: null });
                }}
                onCommit={commit}
                onDone={done}
                onDelete={onDelete}
                onOpenItem={onOpenItem}
              />
            ))}
          </div>
        </div>
      </div>
      <AddItem onAdd={(name) => onAdd(name, lastGroup)} />
    </div>
  );
}

interface GridLineProps {
  line: Line;
  index: number;
  top: number;
  rowPx: number;
  template: string;
  columns: Column[];
  table: BoardTable;
  members: readonly Member[];
  /** The column with the focus, or -1. */
  here: number;
  editing: Editing | null;
  onPick: (column: number) => void;
  onOpen: (column: number) => void;
  onCommit: (item: string, column: Column, value: CellValue, before: CellValue) => void;
  onDone: (move: Place | null) => void;
  onDelete: (item: string, name: string) => void;
  onOpenItem: (item: string, name: string) => void;
}

function GridLine(props: GridLineProps) {
  const { line, index, top, rowPx, template, columns, table, members, here, editing, onPick, onOpen, onCommit, onDone, onDelete, onOpenItem } = props;
  const frame = { role: 'row', 'aria-rowindex': index + 2, 'data-line': index } as const;
  if (typeof line !== 'number') {
    return (
      <div {...frame} className="grid-row grid-group" style={{ top, height: rowPx }}>
        <div role="gridcell" aria-colindex={1} data-column={here >= 0 ? here : 0} tabIndex={here >= 0 ? 0 : -1} className="grid-group-name" onFocus={() => onPick(Math.max(here, 0))}>
          {line.group.name}
          <span className="grid-group-count">{line.count.toLocaleString()}</span>
        </div>
      </div>
    );
  }
  const item = table.id(line);
  const name = String(table.cell(line, 'name') ?? '');
  return (
    <div {...frame} className="grid-row grid-item" style={{ top, height: rowPx, gridTemplateColumns: template }}>
      {columns.map((column, i) => {
        const value = table.cell(line, column.id);
        const isEditing = editing?.column === i;
        return (
          <div
            role="gridcell"
            key={column.id}
            aria-colindex={i + 1}
            data-column={i}
            data-first={i === 0 || undefined}
            data-numeric={column.type === 'number' || undefined}
            className="grid-cell"
            tabIndex={here === i && !isEditing ? 0 : -1}
            onFocus={(event) => event.target === event.currentTarget && onPick(i)}
            onDoubleClick={() => column.type !== 'checkbox' && onOpen(i)}
            onClick={() => column.type === 'checkbox' && onCommit(item, column, value !== true, value)}
          >
            {isEditing ? (
              <CellBeingEdited
                column={column}
                value={value}
                members={members}
                typed={editing.typed}
                label={`${column.title} of ${name}`}
                onCommit={(next, was) => onCommit(item, column, next, was)}
                onDone={(step) => onDone(step ? { line: index + step.lines, column: i + step.columns } : null)}
              />
            ) : (
              <CellText column={column} value={value} members={members} />
            )}
            {i === 0 && !isEditing && (
              // Space does the same from the cell, so that the button is no stop of its own.
              <span className="grid-open" onDoubleClick={(event) => event.stopPropagation()}>
                <IconButton icon="eye" label={`Open ${name}`} keys="Space" excludeFromTabOrder onPress={() => onOpenItem(item, name)} />
              </span>
            )}
          </div>
        );
      })}
      <div role="gridcell" aria-colindex={columns.length + 1} className="grid-cell grid-actions">
        <IconButton icon="trash" label={`Delete ${name}`} onPress={() => onDelete(item, name)} />
      </div>
    </div>
  );
}

function CellText({ column, value, members }: { column: Column; value: CellValue; members: readonly Member[] }) {
  if (column.type === 'status' || column.type === 'dropdown') {
    const label = column.settings.labels?.find((one) => one.id === value);
    return label ? <LabelPill label={label} /> : null;
  }
  if (column.type === 'checkbox') {
    return <span className="grid-check" data-on={value === true || undefined} role="img" aria-label={value === true ? 'Yes' : 'No'} />;
  }
  const text = show(value, column, members);
  return <span className="grid-text" title={text}>{text}</span>;
}

function AddItem({ onAdd }: { onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <form
      className="grid-add"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === '') return;
        onAdd(name.trim());
        setName('');
      }}
    >
      <input className="grid-add-input" aria-label="Add an item" placeholder="Add an item" value={name} onChange={(event) => setName(event.target.value)} />
    </form>
  );
}
