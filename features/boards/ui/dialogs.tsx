/** The dialogs of a board's page. */
import { useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, TextField } from '@shell/components';

interface NameDialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  action: string;
  /** The name that there is; empty where something new is named. */
  initial: string;
  onSave: (name: string) => Promise<void>;
}

/** Asks for a name. Starts with `initial` when opened and ignores later changes to it. */
export function NameDialog({ isOpen, ...props }: NameDialogProps) {
  return isOpen ? <Opened {...props} /> : null;
}

function Opened({ onClose, title, action, initial, onSave }: Omit<NameDialogProps, 'isOpen'>) {
  const [name, setName] = useState(initial);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    if (isBusy) return;
    const called = name.trim();
    // Who leaves a name as it is has nothing to save and nothing to take back.
    if (called !== '' && called === initial) return onClose();
    setBusy(true);
    try {
      await onSave(called);
      onClose();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.reasonAt('/name') : reasonOf(failure));
    } finally {
      setBusy(false);
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
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            {action}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={error}
        autoFocus
        onInputKeyDown={(event) => event.key === 'Enter' && void save()}
      />
    </Dialog>
  );
}
