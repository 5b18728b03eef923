/** The boards of the workspace: open one, make one, import one. */
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Button, Dialog, EmptyState, ErrorState, LinkList, LinkRow, Loading, Page, Select, TextField, toast } from '@shell/components';
import { reasonOf } from '@shell/api';
import { useWorkspaces } from '@shell/workspace';
import { change, useBoards } from './data';
import { counted } from './format';
import { ImportDialog } from './ImportDialog';
import './boards.css';

export default function BoardsPage() {
  const { data: boards, error, refetch } = useBoards();
  const [location, navigate] = useLocation();
  const importing = new URLSearchParams(useSearch()).has('import');
  const [creating, setCreating] = useState(false);
  const openImport = () => navigate(`${location}?import`);
  const actions = (
    <>
      <Button icon="upload" onPress={openImport}>
        Import a file
      </Button>
      <Button variant="primary" icon="plus" onPress={() => setCreating(true)}>
        Create board
      </Button>
    </>
  );
  return (
    <Page title="Project boards" detail={boards && `${boards.length} in this workspace`} actions={actions}>
      {error ? (
        <ErrorState title="The boards could not be read" error={error} onRetry={() => void refetch()} />
      ) : !boards ? (
        <Loading label="Loading boards" />
      ) : boards.length === 0 ? (
        <EmptyState
          icon="board"
          title="No boards yet"
          action={
            <Button variant="primary" icon="upload" onPress={openImport}>
              Import a file
            </Button>
          }
        >
          A board holds items in groups, with typed columns. Import an export of the tool you come from, or create an empty one.
        </EmptyState>
      ) : (
        <LinkList>
          {boards.map((board) => (
            <LinkRow key={board.id} href={`/boards/${board.id}`} icon="board" name={board.name} details={[counted(board.itemCount)]} changedAt={board.updatedAt} />
          ))}
        </LinkList>
      )}
      <CreateDialog isOpen={creating} onClose={() => setCreating(false)} />
      <ImportDialog isOpen={importing} onClose={() => navigate('/boards')} />
    </Page>
  );
}

const PRESETS = [
  { value: 'tasks', label: 'Tasks', description: 'Two groups, with status, owner and due date' },
  { value: 'blank', label: 'Blank', description: 'One group and no columns' },
];

function CreateDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { current } = useWorkspaces();
  const [, navigate] = useLocation();
  const { refetch } = useBoards();
  const [name, setName] = useState('');
  const [preset, setPreset] = useState('tasks');
  const [error, setError] = useState<string | null>(null);
  const create = async () => {
    if (!current) return;
    if (name.trim() === '') return setError('Give the board a name.');
    try {
      const made = await change.createBoard(current.id, name.trim(), preset);
      onClose();
      setName('');
      setError(null);
      void refetch();
      toast.done(`Created ${name.trim()}`);
      navigate(`/boards/${made.id ?? made.board?.id}`);
    } catch (failure) {
      setError(reasonOf(failure));
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Create a board"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" onPress={() => void create()}>
            Create board
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} error={error} autoFocus onInputKeyDown={(event) => event.key === 'Enter' && void create()} />
      <Select label="Begin with" options={PRESETS} value={preset} onChange={setPreset} />
    </Dialog>
  );
}
