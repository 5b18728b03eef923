/** The dialogs of a board's page. */
import { useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, Select, TextField } from '@shell/components';
import { COLUMN_TYPES, type ColumnType } from './data';

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

export function ColumnDialog({ isOpen, onClose, onSave }: { isOpen: boolean; onClose: () => void; onSave: (title: string, type: ColumnType) => Promise<void> }) {
  const [title, setTitle] = useState('');
  const [type, setType] = useState<ColumnType>('text');
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    try {
      await onSave(title.trim(), type);
      setTitle('');
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
    </Dialog>
  );
}
