/** Creates a board: its name and preset. */
import { useEffect, useRef, useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Dialog, ErrorState, Loading, TextField, toast } from '@shell/components';
import { useMaking } from '@shell/making';
import { useSetting } from '@shell/settings';
import { useWorkspaces } from '@shell/workspace';
import { useBoards, type PresetName } from './data';
import { PresetCards, PresetContents } from './PresetCards';
import { BLANK, MADE, makeBoard, usePresets } from './presets';

/** What `pmSetupPreset` is while it is not known. */
const DEFAULT_PRESET = 'tasks';

export function CreateDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return isOpen ? <Create onClose={onClose} /> : null;
}

function Create({ onClose }: { onClose: () => void }) {
  const { current } = useWorkspaces();
  const { isMaking, make, leave } = useMaking('board');
  const { refetch } = useBoards();
  const { data: presets, error: unread, refetch: readAgain } = usePresets();
  const usual = useSetting('pmSetupPreset') ?? DEFAULT_PRESET;
  const [chosen, setChosen] = useState<PresetName | null>(null);
  const [name, setName] = useState('');
  const [error, setError] = useState<string | null>(null);
  const preset = chosen ?? usual;
  const shown = [...(presets ?? []), BLANK].find((one) => one.preset === preset);
  /** Closed, it has nothing to close any more: by then another may stand in its place. */
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  const create = async () => {
    if (isMaking) return;
    if (name.trim() === '') return setError('Enter a name.');
    setError(null);
    try {
      await make(async (workspaceId) => {
        const id = await makeBoard(workspaceId, name.trim(), preset);
        void refetch();
        toast.done(`Created ${name.trim()}`);
        if (isHere.current) onClose();
        return [`/boards/${id}`, MADE];
      });
    } catch (failure) {
      setError(reasonOf(failure));
    }
  };
  const close = () => {
    leave();
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={close}
      title="Create a board"
      size="large"
      actions={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button variant="primary" isPending={isMaking} onPress={() => void create()}>
            Create board
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={error}
        help={isMaking && !current && 'Created once workspaces load.'}
        autoFocus
        onInputKeyDown={(event) => event.key === 'Enter' && void create()}
      />
      {presets ? (
        <PresetCards presets={presets} withBlank value={preset} onChange={setChosen} />
      ) : unread ? (
        <ErrorState title="Couldn't load presets" error={unread} onRetry={() => void readAgain()} />
      ) : (
        <Loading label="Loading presets" />
      )}
      {shown && <PresetContents preset={shown} />}
    </Dialog>
  );
}
