/** Shows and changes the formula of a computed cell. */
import { useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Dialog } from '@shell/components';
import type { Column } from '../data';
import { FormulaField } from './FormulaField';
import { withTitles } from './data';

interface FormulaDialogProps {
  board: string;
  columns: readonly Column[];
  column: Column;
  /** The item whose cell was opened. */
  item: string;
  onClose: () => void;
  onSave: (formula: string) => Promise<void>;
}

export function FormulaDialog({ board, columns, column, item, onClose, onSave }: FormulaDialogProps) {
  const [formula, setFormula] = useState(() => withTitles(column.settings.formula ?? '', columns));
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    try {
      await onSave(formula);
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Formula of ${column.title}`}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" onPress={() => void save()}>
            Save formula
          </Button>
        </>
      }
    >
      <FormulaField board={board} columns={columns} column={column} item={item} value={formula} onChange={setFormula} />
      {error && (
        <p role="alert" className="formula-error">
          {error}
        </p>
      )}
    </Dialog>
  );
}
