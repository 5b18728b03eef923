/**
 * The item panel's fields: the group and all columns, with the same editors as in the table. Enter, F2, or typing
 * starts editing, Enter and Tab save, and Escape cancels.
 */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button, EmptyState, Icon, Select, toast } from '@shell/components';
import type { Member } from '@shell/members';
import { useEditAgain } from './again';
import { CellBeingEdited } from './Conflict';
import { isReadOnly, sameValue, type CellValue, type Column } from './data';
import { Follow } from './Follow';
import { showFull } from './format';
import { NAME } from './grid/columns';
import { CellText } from './grid/Row';
import type { Outbox } from './outbox/useOutbox';
import type { BoardTable } from './table';
import { useMoves } from './views/useMoves';
import './fields.css';

/** Writes a cell and shows it immediately; `was` is its value from when editing began. */
type EditCell = (item: string, column: string, value: CellValue, was: CellValue) => void;

/** Editable parts of the panel in Tab order. */
const EDITABLE = '[data-field]';

interface ValueProps {
  item: string;
  column: Column;
  value: CellValue;
  members: readonly Member[];
  /** What the editor is called. */
  label: string;
  /** What the value is called where it is not being edited; without it, it is called what it reads. */
  name?: string;
  className: string;
  takesFocus?: boolean;
  onCommit: (value: CellValue, was: CellValue) => void;
  children: ReactNode;
}

/** A value that becomes its editor, and gets the focus back when that is over. */
function EditableValue({
  item,
  column,
  value,
  members,
  label,
  name,
  className,
  takesFocus,
  onCommit,
  children,
}: ValueProps) {
  const [editing, setEditing] = useState<{ typed: string | null; again?: string } | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEditAgain((again) => {
    const isHere = again.item === item && again.column === column.id;
    if (isHere) setEditing({ typed: null, again: again.text });
    return isHere;
  });
  /** Where the focus goes once the editor is gone, in fields from here. */
  const next = useRef<number | null>(takesFocus ? 0 : null);
  useEffect(() => {
    if (editing || next.current === null || !button.current) return;
    const all = [...(button.current.closest('aside')?.querySelectorAll<HTMLElement>(EDITABLE) ?? [])];
    (all[all.indexOf(button.current) + next.current] ?? button.current).focus();
    next.current = null;
  }, [editing]);
  const isGone = useRef(false);
  isGone.current = editing !== null;
  useEffect(
    () => () => {
      if (isGone.current)
        toast.problem("Couldn't save cell", new Error('The item or column is no longer on this board.'));
    },
    [],
  );
  if (editing) {
    return (
      <span className={`${className} field-edited`}>
        <CellBeingEdited
          column={column}
          value={value}
          members={members}
          typed={editing.typed}
          again={editing.again}
          item={item}
          label={label}
          onCommit={onCommit}
          onDone={(step, isLeft) => {
            isGone.current = false;
            next.current = isLeft ? null : (step?.columns ?? 0);
            setEditing(null);
          }}
        />
      </span>
    );
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'F2') setEditing({ typed: null });
    else if (event.key === 'Delete' || event.key === 'Backspace') onCommit(null, value);
    // Space and Enter press the button.
    else if (event.key.length === 1 && event.key !== ' ') setEditing({ typed: event.key });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <button
      ref={button}
      type="button"
      data-field
      className={className}
      aria-label={name}
      title={name ? undefined : 'Rename'}
      onClick={() => setEditing({ typed: null })}
      onKeyDown={onKeyDown}
    >
      {children}
    </button>
  );
}

interface ItemTitleProps {
  item: string;
  name: string;
  edit: EditCell;
}

/** The item's name as the panel's editable title. */
export function ItemTitle({ item, name, edit }: ItemTitleProps) {
  return (
    <EditableValue
      item={item}
      column={NAME}
      value={name}
      members={[]}
      label={`Name of ${name}`}
      className="item-title"
      takesFocus
      onCommit={(value, was) => {
        if (value === null || String(value).trim() === '')
          toast.problem('Item name is required', new Error('Enter a name or delete the item.'));
        else if (!sameValue(value, was)) edit(item, NAME.id, value, was);
      }}
    >
      {name}
    </EditableValue>
  );
}

interface ItemFieldsProps {
  table: BoardTable;
  item: string;
  members: readonly Member[];
  edit: EditCell;
  /** Moves the item to another group. */
  outbox: Pick<Outbox, 'write' | 'takeBack'>;
  /** Shows what a computed value comes from. */
  onOpenFormula: (column: Column, item: string) => void;
  /** Shows the files of a cell. */
  onOpenFiles: (column: Column, item: string) => void;
}

export function ItemFields({ table, item, members, edit, outbox, onOpenFormula, onOpenFiles }: ItemFieldsProps) {
  const { board, columns, groups } = table.meta;
  const moves = useMoves(outbox);
  const id = useId();
  const row = table.row(item);
  if (row === undefined) return null;
  const name = String(table.cell(row, NAME.id) ?? '');
  const group = table.group(row);
  const groupName = (id: string) => groups.find((one) => one.id === id)?.name ?? '';
  return (
    <section className="item-fields" aria-labelledby={`${id}-fields`}>
      <h3 id={`${id}-fields`}>Fields</h3>
      <dl>
        <div className="item-field">
          <dt>Group</dt>
          <dd>
            {table.parent(row) === null ? (
              <Select
                aria-label={`Group of ${name}`}
                options={groups.map((one) => ({ value: one.id, label: one.name }))}
                value={group}
                onChange={(to) => {
                  if (to !== group) moves.group(item, name, group, to, groupName(to));
                }}
              />
            ) : (
              // It goes where its parent goes.
              <Given>
                <span className="grid-text">{groupName(group)}</span>
              </Given>
            )}
          </dd>
        </div>
        {columns.map((column) => (
          <div key={column.id} className="item-field">
            <dt>{column.title}</dt>
            <dd>
              <FieldValue
                board={board.id}
                item={item}
                of={name}
                column={column}
                value={table.cell(row, column.id)}
                members={members}
                edit={edit}
                onOpenFormula={onOpenFormula}
                onOpenFiles={onOpenFiles}
              />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface FieldValueProps {
  board: string;
  item: string;
  /** The item's name. */
  of: string;
  column: Column;
  value: CellValue;
  members: readonly Member[];
  edit: EditCell;
  onOpenFormula: (column: Column, item: string) => void;
  onOpenFiles: (column: Column, item: string) => void;
}

function FieldValue({ board, item, of, column, value, members, edit, onOpenFormula, onOpenFiles }: FieldValueProps) {
  const text = <CellText column={column} value={value} members={members} place={{ board, item, isHere: false }} />;
  const commit = (next: CellValue, was: CellValue) => {
    if (!sameValue(next, was)) edit(item, column.id, next, was);
  };
  const words = showFull(value, column, members);
  if (column.type === 'formula') {
    return (
      <span className="item-given">
        {text}
        <Button
          variant="plain"
          aria-label={`Show the formula of ${column.title}`}
          onPress={() => onOpenFormula(column, item)}
        >
          Formula
        </Button>
      </span>
    );
  }
  if (column.type === 'file') {
    return (
      <span className="item-given item-files">
        {text}
        <Button variant="plain" aria-label={`Show files: ${column.title}`} onPress={() => onOpenFiles(column, item)}>
          Show files
        </Button>
      </span>
    );
  }
  if (isReadOnly(column)) {
    return <Given>{text}</Given>;
  }
  if (column.type === 'checkbox') {
    return (
      <button
        type="button"
        role="checkbox"
        data-field
        className="item-value"
        aria-checked={value === true}
        aria-label={column.title}
        onClick={() => commit(value !== true, value)}
      >
        <span className="grid-check" data-on={value === true || undefined} />
      </button>
    );
  }
  return (
    <span className="item-beside">
      <EditableValue
        item={item}
        column={column}
        value={value}
        members={members}
        label={`${column.title} of ${of}`}
        name={`${column.title}: ${words || 'empty'}`}
        className="item-value"
        onCommit={commit}
      >
        {words === '' ? <span className="item-empty">Empty</span> : text}
      </EditableValue>
      <Follow column={column} value={value} isTabStop />
    </span>
  );
}

/** A value that comes from elsewhere. */
const Given = ({ children }: { children: ReactNode }) => (
  <span className="item-given" title="Read-only">
    {children}
    <Icon name="eye" />
    <span className="sr-only">Read-only</span>
  </span>
);

/** Message for an item that is no longer on the board. */
export function ItemGone({ onShowTrash }: { onShowTrash: () => void }) {
  const action = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Whoever was in the panel stays in it.
    if (document.activeElement === document.body) action.current?.querySelector('button')?.focus();
  }, []);
  return (
    <div ref={action} role="alert">
      <EmptyState icon="trash" title="Item not found" action={<Button onPress={onShowTrash}>View Trash</Button>}>
        Someone deleted or archived it while it was open.
      </EmptyState>
    </div>
  );
}
