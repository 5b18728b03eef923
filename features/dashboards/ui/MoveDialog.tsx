import { useState } from 'react';
import { Button, Dialog, NumberField } from '@shell/components';
import { COLUMNS, type Box } from './grid/layout';

/** Moves a widget by naming its place: no dragging, no arrow keys. */
export function MoveDialog({ title, box, onClose, onMove }: { title: string; box: Box; onClose: () => void; onMove: (to: { x: number; y: number }) => void }) {
  const [column, setColumn] = useState(box.x + 1);
  const [row, setRow] = useState(box.y + 1);
  const [isColumnUnread, setColumnUnread] = useState(false);
  const [isRowUnread, setRowUnread] = useState(false);
  const columnMax = COLUMNS - box.w + 1;
  const isValid = !isColumnUnread && !isRowUnread && column >= 1 && column <= columnMax && row >= 1;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Move ${title}`}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            variant="primary"
            isDisabled={!isValid}
            onPress={() => {
              onMove({ x: column - 1, y: row - 1 });
              onClose();
            }}
          >
            Move
          </Button>
        </>
      }
    >
      <div className="move-fields">
        <NumberField label="Column" value={column} minValue={1} maxValue={columnMax} onChange={setColumn} onUnread={setColumnUnread} autoFocus help={`1 to ${columnMax}, from the left`} />
        <NumberField label="Row" value={row} minValue={1} onChange={setRow} onUnread={setRowUnread} help="From the top; what stands there moves down" />
      </div>
    </Dialog>
  );
}
