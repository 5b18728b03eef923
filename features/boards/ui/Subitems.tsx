/**
 * The subitems of the item at the side: each is opened, renamed, given a status, moved among the others, made an item of its
 * own and deleted; a line below adds one. Alt with the arrows moves the one that has the focus.
 */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button, IconButton, Menu, Select } from '@shell/components';
import { NAME_CHARS_MAX } from '@shell/gen/limits';
import type { CellValue } from './data';
import { NameDialog } from './dialogs';
import type { Outbox } from './outbox/useOutbox';
import { doneBy, freedSubitem, movedSubitem, newSubitem, progressOf, progressText } from './subitems';
import type { BoardTable } from './table';
import './subitems.css';

/** The choice of no status. */
const NO_STATUS = '';

export interface SubitemsProps {
  table: BoardTable;
  item: string;
  write: Outbox['write'];
  /** Deletes one, with Undo. */
  onRemove: (item: string, name: string) => void;
  /** Shows another item at the side. */
  onOpen: (item: string, name: string) => void;
}

export function Subitems({ table, item, write, onRemove, onOpen }: SubitemsProps) {
  const [name, setName] = useState('');
  const [renaming, setRenaming] = useState<{ id: string; name: string } | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const field = useRef<HTMLInputElement>(null);
  /** The subitem that gets the focus back when it stands where it was moved to. */
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-subitem="${CSS.escape(wanted.current)}"] .subitem-name`)?.focus();
    wanted.current = undefined;
  }, [table]);
  const nameOf = (row: number) => String(table.cell(row, 'name') ?? '');
  const at = table.row(item);
  const parent = at === undefined ? null : table.parent(at);
  if (parent !== null) {
    const row = table.row(parent);
    return (
      <section className="subitems" aria-label="Parent">
        <p className="subitems-of">
          Subitem of{' '}
          {row !== undefined && (
            <Button variant="plain" onPress={() => onOpen(parent, nameOf(row))}>
              {nameOf(row)}
            </Button>
          )}
          <Button onPress={() => write(freedSubitem(item, parent))}>Convert to item</Button>
        </p>
      </section>
    );
  }
  const rows = table.subitems.get(item) ?? [];
  const progress = progressOf(table, item);
  const by = doneBy(table.meta.columns);
  const move = (id: string, from: number, step: number) => {
    if (from + step < 0 || from + step >= rows.length) return;
    wanted.current = id;
    write(
      movedSubitem(
        rows.map((row) => table.id(row)),
        from,
        from + step,
      ),
    );
  };
  const put = (id: string, column: string, before: CellValue, after: CellValue) =>
    write({ cells: [{ item: id, column, before, after }] });
  const remove = (id: string, called: string) => {
    onRemove(id, called);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, id: string, index: number, called: string) => {
    if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown'))
      move(id, index, event.key === 'ArrowUp' ? -1 : 1);
    else if (event.key === 'F2') setRenaming({ id, name: called });
    else if (event.key === 'Delete') remove(id, called);
    else return;
    event.preventDefault();
  };
  return (
    <section className="subitems" aria-labelledby="subitems-title">
      <h3 id="subitems-title" className="subitems-title">
        Subitems
        {progress && <span className="subitems-progress">{progressText(progress)}</span>}
      </h3>
      {rows.length === 0 && <p className="subitems-none">No subitems yet. Add the first one below.</p>}
      <ol ref={list} className="subitems-list">
        {rows.map((row, index) => {
          const id = table.id(row);
          const called = nameOf(row);
          return (
            <li key={id} className="subitem" data-subitem={id}>
              <button
                type="button"
                className="subitem-name"
                aria-describedby="subitem-keys"
                onKeyDown={(event) => onKeyDown(event, id, index, called)}
                onClick={() => onOpen(id, called)}
              >
                {called}
              </button>
              {by && (
                <Select
                  aria-label={`${by.column.title} of ${called}`}
                  options={[
                    { value: NO_STATUS, label: 'No status' },
                    ...(by.column.settings.labels ?? []).map((label) => ({ value: label.id, label: label.text })),
                  ]}
                  value={String(table.cell(row, by.column.id) ?? NO_STATUS)}
                  onChange={(label) =>
                    put(id, by.column.id, table.cell(row, by.column.id), label === NO_STATUS ? null : label)
                  }
                />
              )}
              <Menu
                label={`More actions for ${called}`}
                groups={[
                  {
                    entries: [
                      {
                        id: 'rename',
                        label: 'Rename',
                        icon: 'edit',
                        keys: 'F2',
                        onAction: () => setRenaming({ id, name: called }),
                      },
                      {
                        id: 'up',
                        label: 'Move up',
                        icon: 'chevronUp',
                        keys: 'Alt ↑',
                        isDisabled: index === 0,
                        onAction: () => move(id, index, -1),
                      },
                      {
                        id: 'down',
                        label: 'Move down',
                        icon: 'chevronDown',
                        keys: 'Alt ↓',
                        isDisabled: index === rows.length - 1,
                        onAction: () => move(id, index, 1),
                      },
                      {
                        id: 'free',
                        label: 'Convert to item',
                        icon: 'move',
                        onAction: () => write(freedSubitem(id, item)),
                      },
                    ],
                  },
                  {
                    entries: [
                      {
                        id: 'delete',
                        label: 'Delete',
                        icon: 'trash',
                        keys: 'Del',
                        isDanger: true,
                        onAction: () => remove(id, called),
                      },
                    ],
                  },
                ]}
              >
                <IconButton icon="more" label={`More actions for ${called}`} />
              </Menu>
            </li>
          );
        })}
      </ol>
      <p className="sr-only" id="subitem-keys">
        Enter opens it, F2 renames it, Alt+arrow keys move it, Delete deletes it.
      </p>
      <form
        className="subitems-add"
        onSubmit={(event) => {
          event.preventDefault();
          const called = name.trim();
          if (called === '') return;
          setName('');
          write(newSubitem(item, called));
        }}
      >
        <input
          ref={field}
          className="subitems-input"
          aria-label="Add a subitem"
          placeholder="Add a subitem"
          maxLength={NAME_CHARS_MAX}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </form>
      <NameDialog
        isOpen={renaming !== null}
        onClose={() => setRenaming(null)}
        title="Rename subitem"
        action="Rename subitem"
        initial={renaming?.name ?? ''}
        onSave={(called) => {
          if (renaming) put(renaming.id, 'name', renaming.name, called);
          return Promise.resolve();
        }}
      />
    </section>
  );
}
