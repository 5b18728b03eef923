/** What the page of boards shows while there is none: the way to the first one. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button, EmptyState, ErrorState, Loading, toast } from '@shell/components';
import { useSetting } from '@shell/settings';
import { useWorkspaces } from '@shell/workspace';
import { useBoards, type PresetName } from './data';
import { PresetCards, PresetContents } from './PresetCards';
import { MADE, makeBoard, makeSample, rememberPreset, useHasBoards, usePresets } from './presets';

interface NoBoardsProps {
  onImport: () => void;
}

/** In an account with boards elsewhere a few words; in a new account the first steps. */
export function NoBoards({ onImport }: NoBoardsProps) {
  const { data: hasBoards, isPending } = useHasBoards();
  if (isPending) return <Loading label="Loading boards" />;
  if (hasBoards === false) return <FirstBoard onImport={onImport} />;
  return (
    <EmptyState
      icon="board"
      title="No boards in this workspace"
      action={
        <Button variant="primary" icon="upload" onPress={onImport}>
          Import a file
        </Button>
      }
    >
      A board holds items in groups, with typed columns. Import an export of the tool you come from, or create one from a preset.
    </EmptyState>
  );
}

function FirstBoard({ onImport }: NoBoardsProps) {
  const { known } = useWorkspaces();
  const { refetch } = useBoards();
  const [, navigate] = useLocation();
  const { data: presets, error, refetch: readAgain } = usePresets();
  const usual = useSetting('pmSetupPreset') ?? 'tasks';
  const [chosen, setChosen] = useState<PresetName | null>(null);
  /** Which way is being gone; the others wait for it. */
  const [busy, setBusy] = useState<'preset' | 'sample' | null>(null);
  const waits = (way: 'preset' | 'sample' | 'import') => busy !== null && busy !== way;
  const preset = presets?.find((one) => one.preset === (chosen ?? usual));
  const make = async (way: 'preset' | 'sample', how: (workspaceId: string) => Promise<string>) => {
    if (busy) return;
    setBusy(way);
    try {
      const id = await how((await known()).id);
      void refetch();
      navigate(`/boards/${id}`, MADE);
    } catch (failure) {
      toast.problem('The board was not made', failure);
      setBusy(null);
    }
  };
  const begin = () =>
    preset &&
    make('preset', async (workspaceId) => {
      const id = await makeBoard(workspaceId, preset.name, preset.preset);
      // The board is there; that the next one begins otherwise is no reason to stay here.
      if (preset.preset !== usual) await rememberPreset(preset.preset).catch((failure: unknown) => toast.problem('The choice was not kept', failure));
      return id;
    });
  return (
    <section className="first-board" aria-labelledby="first-board-title">
      <h2 id="first-board-title">Set up your first board</h2>
      <p className="first-board-text">Choose what looks like your work. Columns, groups and views can all be changed later, and the next board begins the same way.</p>
      {presets ? (
        <PresetCards presets={presets} value={preset?.preset ?? ''} onChange={setChosen} />
      ) : error ? (
        <ErrorState title="The presets could not be read" error={error} onRetry={() => void readAgain()} />
      ) : (
        <Loading label="Loading presets" />
      )}
      {preset && <PresetContents preset={preset} />}
      <div className="first-board-ways">
        <Button variant="primary" icon="board" isDisabled={!preset || waits('preset')} isPending={busy === 'preset'} onPress={() => void begin()}>
          {preset ? `Begin with ${preset.name}` : 'Begin'}
        </Button>
        <Button icon="upload" isDisabled={waits('import')} onPress={onImport}>
          Import from a file
        </Button>
        <Button icon="eye" isDisabled={waits('sample')} isPending={busy === 'sample'} onPress={() => void make('sample', makeSample)}>
          Look around with sample data
        </Button>
      </div>
    </section>
  );
}
