/** Dialogs of the table's columns, and of values that couldn't be pasted. */
import { Button, ConfirmDialog, Dialog, toast } from '@shell/components';
import { change } from '../changes';
import { ColumnDialog } from '../ColumnDialog';
import type { Column, ColumnSettings, ColumnType } from '../data';
import { NameDialog } from '../dialogs';
import { offerUndo } from '../offers';
import type { Outbox } from '../outbox/useOutbox';
import { count } from './copyPaste';
import type { Refusal } from './edits';

/** The column that a dialog is open for. */
export type ColumnAsk = { what: 'rename' | 'delete'; column: Column } | { what: 'change'; column: string } | null;

export function ColumnDialogs({
  board,
  asked,
  outbox,
  onClose,
  onSave,
}: {
  board: string;
  asked: ColumnAsk;
  outbox: Pick<Outbox, 'takeBack'>;
  onClose: () => void;
  onSave: (title: string, type: ColumnType, settings: ColumnSettings) => Promise<void>;
}) {
  const naming = asked?.what === 'rename' ? asked.column : null;
  const removing = asked?.what === 'delete' ? asked.column : null;
  return (
    <>
      {asked?.what === 'change' && <ColumnDialog isOpen onClose={onClose} column={asked.column} onSave={onSave} />}
      <NameDialog
        key={naming?.id ?? 'none'}
        isOpen={naming !== null}
        onClose={onClose}
        title="Rename column"
        action="Rename column"
        initial={naming?.title ?? ''}
        onSave={async (title) => {
          if (naming) await change.updateColumn(board, naming.id, { title, was: { title: naming.title } });
        }}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={onClose}
        title={`Delete ${removing?.title ?? ''}`}
        action="Delete column"
        onConfirm={() => {
          if (!removing) return;
          change.deleteColumn(board, removing.id).then(
            ({ made }) =>
              offerUndo(
                `Deleted ${removing.title}`,
                {
                  board: board,
                  left: ({ meta }) => meta.columns.some(({ id }) => id === removing.id),
                  stands: false,
                },
                () => outbox.takeBack(made),
              ),
            (failure: unknown) => toast.problem("Couldn't delete column", failure),
          );
        }}
      >
        Moves the column and its cells to Trash, in every view of this board. You can restore it for 30 days.
      </ConfirmDialog>
    </>
  );
}

const REFUSALS_SHOWN = 100;

/** The values that didn't fit their columns when pasted. */
export function RefusedValues({ refused, onClose }: { refused: readonly Refusal[]; onClose: () => void }) {
  return (
    <Dialog
      isOpen={refused.length > 0}
      onClose={onClose}
      title={`${count(refused.length)} not changed`}
      actions={
        <Button autoFocus onPress={onClose}>
          Close
        </Button>
      }
    >
      <p>Everything else was pasted. These values don't fit their columns:</p>
      <ul className="grid-refused">
        {refused.slice(0, REFUSALS_SHOWN).map(({ where, why }, at) => (
          <li key={at}>
            <strong>{where}</strong>: {why}
          </li>
        ))}
        {refused.length > REFUSALS_SHOWN && <li>{`and ${count(refused.length - REFUSALS_SHOWN)} more`}</li>}
      </ul>
    </Dialog>
  );
}
