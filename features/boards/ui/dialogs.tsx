/** The dialogs of a board's page. */
import { useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, TextField } from '@shell/components';

interface NameDialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  action: string;
  initial: string;
  onSave: (name: string) => Promise<void>;
}

/** Asks for a name. It begins with `initial` each time it opens; what that becomes while one types changes nothing. */
export function NameDialog({ isOpen, ...props }: NameDialogProps) {
  return isOpen ? <Opened {...props} /> : null;
}

function Opened({ onClose, title, action, initial, onSave }: Omit<NameDialogProps, 'isOpen'>) {
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
      isOpen
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
