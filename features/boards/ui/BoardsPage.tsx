/** The boards of the workspace: open one, make one, import one. */
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Button, ErrorState, LinkList, LinkRow, Loading, Page } from '@shell/components';
import { CreateDialog } from './CreateDialog';
import { useBoards } from './data';
import { NoBoards } from './FirstBoard';
import { counted } from './format';
import { ImportDialog } from './ImportDialog';
import './boards.css';

export default function BoardsPage() {
  const { data: boards, error, refetch } = useBoards();
  const [location, navigate] = useLocation();
  /** The board that a file goes into, or empty for a new one. */
  const importing = new URLSearchParams(useSearch()).get('import');
  const [creating, setCreating] = useState(false);
  const openImport = () => navigate(`${location}?import`);
  const actions = (
    <>
      <Button icon="upload" onPress={openImport}>
        Import a file
      </Button>
      <Button icon="archive" onPress={() => navigate('/boards/trash')}>
        View Trash
      </Button>
      {/* Where there are none, what stands below is the way to begin. */}
      <Button variant={boards?.length === 0 ? 'secondary' : 'primary'} icon="plus" onPress={() => setCreating(true)}>
        Create board
      </Button>
    </>
  );
  return (
    <Page title="Project boards" detail={boards && `${boards.length} in this workspace`} actions={actions}>
      {error ? (
        <ErrorState title="Couldn't load boards" error={error} onRetry={() => void refetch()} />
      ) : !boards ? (
        <Loading label="Loading boards" />
      ) : boards.length === 0 ? (
        <NoBoards onImport={openImport} />
      ) : (
        <LinkList>
          {boards.map((board) => (
            <LinkRow
              key={board.id}
              href={`/boards/${board.id}`}
              icon="board"
              name={board.name}
              details={[counted(board.itemCount)]}
              changedAt={board.updatedAt}
            />
          ))}
        </LinkList>
      )}
      <CreateDialog isOpen={creating} onClose={() => setCreating(false)} />
      <ImportDialog
        isOpen={importing !== null}
        into={importing || undefined}
        onClose={() => navigate(importing ? `/boards/${importing}` : '/boards')}
      />
    </Page>
  );
}
