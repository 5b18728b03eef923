/** The line below an item's subitems that adds one. */
import { useState, type KeyboardEvent } from 'react';
import { NAME_CHARS_MAX } from '@shell/gen/limits';
import type { BoardTable } from '../table';
import type { RowActions } from './Row';

interface AddSubitemProps {
  line: { addTo: string };
  index: number;
  /** How many columns the table shows. */
  columns: number;
  here: number;
  table: BoardTable;
  actions: RowActions;
}

/** Keys that are the table's, not the text's. */
const OF_TABLE = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown']);

export function AddSubitem({ line, index, columns, here, table, actions }: AddSubitemProps) {
  const [name, setName] = useState('');
  const row = table.row(line.addTo);
  const parent = row === undefined ? '' : String(table.cell(row, 'name') ?? '');
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      setName('');
      return actions.done({ line: index - 1, column: 0 });
    }
    if (event.key === 'Enter' && name.trim() !== '') {
      actions.addSubitem(line.addTo, name.trim());
      setName('');
    }
    if (!OF_TABLE.has(event.key)) event.stopPropagation();
  };
  return (
    <>
      <div role="gridcell" aria-colindex={1} className="grid-cell grid-gutter" />
      <div
        role="gridcell"
        aria-colindex={2}
        aria-colspan={columns}
        className="grid-cell"
        data-first
        data-sub
        style={{ gridColumn: `2 / span ${columns}` }}
      >
        <input
          className="grid-subadd-input"
          aria-label={`Add a subitem to ${parent}`}
          placeholder="Add a subitem"
          maxLength={NAME_CHARS_MAX}
          data-column={Math.max(here, 0)}
          tabIndex={here >= 0 ? 0 : -1}
          value={name}
          onFocus={() => actions.focus({ line: index, column: Math.max(here, 0) })}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
    </>
  );
}
