/** Makes a board: a name, and what it begins with. */
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { reasonOf } from '@shell/api';
import { Button, Dialog, ErrorState, Loading, TextField, toast } from '@shell/components';
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
  const { current, known } = useWorkspaces();
  const [, navigate] = useLocation();
  const { refetch } = useBoards();
  const { data: presets, error: unread, refetch: readAgain } = usePresets();
  const usual = useSetting('pmSetupPreset') ?? DEFAULT_PRESET;
  const [chosen, setChosen] = useState<PresetName | null>(null);
  const [name, setName] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const preset = chosen ?? usual;
  const shown = [...(presets ?? []), BLANK].find((one) => one.preset === preset);
  const create = async () => {
    if (busy) return;
    if (name.trim() === '') return setError('Give the board a name.');
    setBusy(true);
    setError(null);
    try {
      const workspace = await known();
      // Closed while it waited, it makes none.
      if (!isOpen.current) return;
      const id = await makeBoard(workspace.id, name.trim(), preset);
      void refetch();
      toast.done(`Created ${name.trim()}`);
      onClose();
      navigate(`/boards/${id}`, MADE);
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create a board"
      size="large"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={busy} onPress={() => void create()}>
            Create board
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} error={error} help={busy && !current && 'It is made as soon as the workspaces are read.'} autoFocus onInputKeyDown={(event) => event.key === 'Enter' && void create()} />
      {presets ? (
        <PresetCards presets={presets} withBlank value={preset} onChange={setChosen} />
      ) : unread ? (
        <ErrorState title="The presets could not be read" error={unread} onRetry={() => void readAgain()} />
      ) : (
        <Loading label="Loading presets" />
      )}
      {shown && <PresetContents preset={shown} />}
    </Dialog>
  );
}
