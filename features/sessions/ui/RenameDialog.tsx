/** The dialog that renames a session. */
import { useState } from 'react';
import { Button, Dialog, TextField } from '@shell/components';

export function RenameDialog({
  title,
  onClose,
  onSave,
}: {
  title: string;
  onClose: () => void;
  onSave: (title: string) => Promise<unknown>;
}) {
  const [name, setName] = useState(title);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    const called = name.trim();
    if (isBusy || called === '') return;
    if (called === title) return onClose();
    setBusy(true);
    if (await onSave(called)) onClose();
    else setBusy(false);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Rename session"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            Rename
          </Button>
        </>
      }
    >
      <TextField
        label="Title"
        value={name}
        onChange={setName}
        error={name.trim() === '' ? 'Enter a title.' : null}
        autoFocus
        onInputKeyDown={(event) => event.key === 'Enter' && void save()}
      />
    </Dialog>
  );
}
