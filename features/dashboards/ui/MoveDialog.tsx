import { useRef, useState } from 'react';
import { Button, Dialog, NumberField } from '@shell/components';
import { COLUMNS, type Box } from './grid/layout';

/** Moves a widget by naming its place: no dragging, no arrow keys. */
export function MoveDialog({
  title,
  box,
  onClose,
  onMove,
}: {
  title: string;
  box: Box;
  onClose: () => void;
  onMove: (to: { x: number; y: number }) => void;
}) {
  const [column, setColumn] = useState(box.x + 1);
  const [row, setRow] = useState(box.y + 1);
  const [isColumnUnread, setColumnUnread] = useState(false);
  const [isRowUnread, setRowUnread] = useState(false);
  const columnMax = COLUMNS - box.w + 1;
  const [columnField, rowField] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const isEmpty = Number.isNaN(column) || Number.isNaN(row);
  const move = () => {
    if (isEmpty) return;
    if (isColumnUnread || isRowUnread) return (isColumnUnread ? columnField : rowField).current?.focus();
    onMove({ x: column - 1, y: row - 1 });
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Move ${title}`}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isDisabled={isEmpty} onPress={move}>
            Move
          </Button>
        </>
      }
    >
      <div className="move-fields">
        <NumberField
          label="Column"
          value={column}
          minValue={1}
          maxValue={columnMax}
          step={1}
          onChange={setColumn}
          onUnread={setColumnUnread}
          onEnter={move}
          inputRef={columnField}
          autoFocus
          help={`1 to ${columnMax}, from the left`}
        />
        <NumberField
          label="Row"
          value={row}
          minValue={1}
          step={1}
          onChange={setRow}
          onUnread={setRowUnread}
          onEnter={move}
          inputRef={rowField}
          help="From the top. Widgets below move down."
        />
      </div>
    </Dialog>
  );
}
