/** The dialogs of a board's page. */
import { useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, Select, TextField } from '@shell/components';
import { COLUMN_TYPES, type Column, type ColumnType } from './data';
import { FormulaField } from './formula/FormulaField';

interface NameDialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  action: string;
  initial: string;
  onSave: (name: string) => Promise<void>;
}

export function NameDialog({ isOpen, onClose, title, action, initial, onSave }: NameDialogProps) {
  const [name, setName] = useState(initial);
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    try {
      await onSave(name.trim());
      onClose();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.reasonAt('/name') : reasonOf(failure));
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" onPress={() => void save()}>
            {action}
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} error={error} autoFocus onInputKeyDown={(event) => event.key === 'Enter' && void save()} />
    </Dialog>
  );
}

const TYPE_OPTIONS = Object.entries(COLUMN_TYPES).map(([value, label]) => ({ value: value as ColumnType, label }));

interface ColumnDialogProps {
  board: string;
  columns: readonly Column[];
  isOpen: boolean;
  onClose: () => void;
  onSave: (title: string, type: ColumnType, settings?: Column['settings']) => Promise<void>;
}

export function ColumnDialog({ board, columns, isOpen, onClose, onSave }: ColumnDialogProps) {
  const [title, setTitle] = useState('');
  const [type, setType] = useState<ColumnType>('text');
  const [formula, setFormula] = useState('');
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    try {
      await onSave(title.trim(), type, type === 'formula' ? { formula } : undefined);
      setTitle('');
      setFormula('');
      setError(null);
      onClose();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.reasonAt('/title') : reasonOf(failure));
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Add a column"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" onPress={() => void save()}>
            Add column
          </Button>
        </>
      }
    >
      <TextField label="Title" value={title} onChange={setTitle} error={error} autoFocus onInputKeyDown={(event) => event.key === 'Enter' && void save()} />
      <Select label="Type" options={TYPE_OPTIONS} value={type} onChange={setType} />
      {type === 'formula' && <FormulaField board={board} columns={columns} value={formula} onChange={setFormula} />}
    </Dialog>
  );
}
