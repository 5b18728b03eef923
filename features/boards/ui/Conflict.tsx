/** Two people edit one cell: nobody's value is written over without being seen. */
import { useState, type ComponentProps } from 'react';
import { ApiError } from '@shell/api';
import { Button, Dialog, Time } from '@shell/components';
import { CellEditor } from './CellEditor';
import { Who } from './Comments';
import type { CellValue, Column, Member } from './data';
import type { Actor } from './discussion';
import { show } from './format';
import './conflict.css';

type EditorProps = Omit<ComponentProps<typeof CellEditor>, 'onCommit'> & { onCommit: (value: CellValue, was: CellValue) => void };

/** A cell's editor that remembers what the cell held when editing began, whatever arrives meanwhile. */
export function CellBeingEdited({ onCommit, ...props }: EditorProps) {
  const [was] = useState(props.value);
  return <CellEditor {...props} onCommit={(value) => onCommit(value, was)} />;
}

/** A value that was typed for a cell that someone else has changed meanwhile. */
export interface Clash {
  item: string;
  column: string;
  mine: CellValue;
  theirs: CellValue;
  by?: Actor;
  at?: string;
}

/** What a refused change says about the other's value; nothing where it was refused for another reason. */
export function clashOf(failure: unknown, item: string, column: string, mine: CellValue): Clash | null {
  if (!(failure instanceof ApiError) || failure.status !== 412 || !('present' in failure.problem)) return null;
  const { present, changedBy, changedAt } = failure.problem as { present: CellValue; changedBy?: Actor; changedAt?: string };
  return { item, column, mine, theirs: present, ...(changedBy ? { by: changedBy } : {}), ...(changedAt ? { at: changedAt } : {}) };
}

interface ConflictDialogProps {
  clash: Clash | undefined;
  columns: readonly Column[];
  members: readonly Member[];
  onMine: () => void;
  onTheirs: () => void;
}

/** Shows both values and lets one be chosen. Closing it keeps the other's. */
export function ConflictDialog({ clash, columns, members, onMine, onTheirs }: ConflictDialogProps) {
  const column = columns.find((one) => one.id === clash?.column);
  const say = (value: CellValue | undefined) => (column ? show(value ?? null, column, members) : String(value ?? '')) || 'empty';
  return (
    <Dialog
      isOpen={clash !== undefined}
      onClose={onTheirs}
      title="Someone changed this meanwhile"
      actions={
        <>
          <Button onPress={onTheirs}>Keep theirs</Button>
          <Button variant="primary" onPress={onMine}>
            Keep mine
          </Button>
        </>
      }
    >
      <p>
        {column?.title ?? 'Name'} was changed
        {clash?.by && (
          <>
            {' '}
            by <Who actor={clash.by} />
          </>
        )}
        {clash?.at && (
          <>
            {' '}
            <Time at={clash.at} />
          </>
        )}{' '}
        while you were editing it.
      </p>
      <dl className="clash">
        <dt>You typed</dt>
        <dd dir="auto">{say(clash?.mine)}</dd>
        <dt>It holds now</dt>
        <dd dir="auto">{say(clash?.theirs)}</dd>
      </dl>
    </Dialog>
  );
}
