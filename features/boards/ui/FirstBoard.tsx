/** Start page for creating the first board. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button, EmptyState, ErrorState, Loading, toast } from '@shell/components';
import { useMaking } from '@shell/making';
import { useSetting } from '@shell/settings';
import { useWorkspaces } from '@shell/workspace';
import { useBoards, useHasBoards, type PresetName } from './data';
import { PresetCards, PresetContents } from './PresetCards';
import { MADE, makeBoard, makeSample, rememberPreset, usePresets } from './presets';
import { useTrash } from './trash';
import './boards.css';

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
      Import a file from another tool, or create a board from a preset.
    </EmptyState>
  );
}

/** The same among the first steps in the program; a file is imported on the page of boards. */
export default function FirstSteps() {
  const [, navigate] = useLocation();
  return <FirstBoard onImport={() => navigate('/boards?import')} />;
}

/** Tells you where archived and deleted boards are. */
function PutAway() {
  const workspace = useWorkspaces().current?.id;
  const archived = useTrash({ workspace }, 'archive', '').entries?.length ?? 0;
  const deleted = useTrash({ workspace }, 'trash', '').entries?.length ?? 0;
  if (archived + deleted === 0) return null;
  return (
    <p className="first-board-text">
      {archived + deleted === 1 ? 'You can restore a board' : 'You can restore boards'} from the{' '}
      {archived > 0 && <Link href="/boards/trash?place=archive">archive</Link>}
      {archived > 0 && deleted > 0 && ' and the '}
      {deleted > 0 && <Link href="/boards/trash">trash</Link>}.
    </p>
  );
}

function FirstBoard({ onImport }: NoBoardsProps) {
  const { isMaking, make } = useMaking('first-board');
  const { refetch } = useBoards();
  const { data: presets, error, refetch: readAgain } = usePresets();
  const usual = useSetting('pmSetupPreset') ?? 'tasks';
  const [chosen, setChosen] = useState<PresetName | null>(null);
  /** Which way was gone last; while it is under way, the others wait for it. */
  const [way, setWay] = useState<'preset' | 'sample' | null>(null);
  const goes = (one: typeof way) => isMaking && one === way;
  const preset = presets?.find((one) => one.preset === (chosen ?? usual));
  const go = async (chosenWay: 'preset' | 'sample', how: (workspaceId: string) => Promise<string>) => {
    if (isMaking) return;
    setWay(chosenWay);
    try {
      await make(async (workspaceId) => {
        const id = await how(workspaceId);
        void refetch();
        return [`/boards/${id}`, MADE];
      });
    } catch (failure) {
      toast.problem("Couldn't create board", failure);
    }
  };
  const begin = () =>
    preset &&
    go('preset', async (workspaceId) => {
      const id = await makeBoard(workspaceId, preset.name, preset.preset);
      // The board is there; that the next one begins otherwise is no reason to stay here.
      if (preset.preset !== usual)
        await rememberPreset(preset.preset).catch((failure: unknown) => toast.problem("Couldn't save choice", failure));
      return id;
    });
  return (
    <section className="first-board" aria-labelledby="first-board-title">
      <h2 id="first-board-title">Set up your first board</h2>
      <p className="first-board-text">
        Choose a preset. You can change columns, groups, and views later. This also becomes the preset for new boards.
      </p>
      <PutAway />
      {presets ? (
        <PresetCards presets={presets} value={preset?.preset ?? ''} onChange={setChosen} />
      ) : error ? (
        <ErrorState title="Couldn't load presets" error={error} onRetry={() => void readAgain()} />
      ) : (
        <Loading label="Loading presets" />
      )}
      {preset && <PresetContents preset={preset} />}
      <div className="first-board-ways">
        <Button
          variant="primary"
          icon="board"
          isDisabled={!preset || (isMaking && !goes('preset'))}
          isPending={goes('preset')}
          onPress={() => void begin()}
        >
          {preset ? `Use ${preset.name}` : 'Use preset'}
        </Button>
        <Button icon="upload" isDisabled={isMaking} onPress={onImport}>
          Import file
        </Button>
        <Button
          icon="eye"
          isDisabled={isMaking && !goes('sample')}
          isPending={goes('sample')}
          onPress={() => void go('sample', makeSample)}
        >
          Explore sample data
        </Button>
      </div>
    </section>
  );
}
