/** The dialog that adds a hub, or changes the name or folder of one. */
import { useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, TextField, toast } from '@shell/components';
import { useSessionActions, type Hub } from '../data';
import { FolderField } from '../start/FolderField';
import '../start/start.css';

/** Maximum characters of a hub's name. */
const NAME_CHARS_MAX = 100;

/** `hub` is the one to change; without it, one is added. `hubs` are all. */
export function HubDialog({ hub, hubs, onClose }: { hub?: Hub; hubs: readonly Hub[]; onClose: () => void }) {
  const { addHub, changeHub } = useSessionActions();
  const [folder, setFolder] = useState(hub?.folder ?? '');
  const [name, setName] = useState(hub?.name ?? '');
  const [faults, setFaults] = useState<{ folder?: string; name?: string }>({});
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    if (isBusy) return;
    const [path, called] = [folder.trim(), name.trim()];
    const missing = {
      ...(path ? {} : { folder: 'Enter a folder.' }),
      ...(hub && !called ? { name: 'Enter a name.' } : {}),
    };
    setFaults(missing);
    if (Object.keys(missing).length > 0) return;
    setBusy(true);
    try {
      if (hub)
        await changeHub(hub.id, {
          ...(called === hub.name ? {} : { name: called }),
          ...(path === hub.folder ? {} : { folder: path }),
        });
      else toast.done(`Added ${(await addHub(path, called)).name}`);
      onClose();
    } catch (failure) {
      const isName = failure instanceof ApiError && failure.errors.some(({ pointer }) => pointer === '/name');
      setFaults({ [isName ? 'name' : 'folder']: reasonOf(failure) });
      setBusy(false);
    }
  };
  const folderField = (
    <FolderField
      value={folder}
      onChange={(next) => {
        setFolder(next);
        setFaults({});
      }}
      hubs={hubs}
      offersRecent={false}
      error={faults.folder}
      autoFocus={!hub}
      onEnter={() => void save()}
    />
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={hub ? 'Edit hub' : 'Add a hub'}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            {hub ? 'Save hub' : 'Add hub'}
          </Button>
        </>
      }
    >
      {!hub && folderField}
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        maxLength={NAME_CHARS_MAX}
        help={hub ? undefined : 'Default: the name of the folder.'}
        error={faults.name}
        autoFocus={!!hub}
        onInputKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) void save();
        }}
      />
      {hub && folderField}
    </Dialog>
  );
}
