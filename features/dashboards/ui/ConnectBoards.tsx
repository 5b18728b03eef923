import { useState, type KeyboardEvent } from 'react';
import { Button, Checkbox, Dialog, EmptyState, ErrorState, Loading, SearchField } from '@shell/components';
import { useBoards, type BoardSummary } from './boards';

/** Boards that the program lets one dashboard connect. */
const CONNECTED_MAX = 100;

/** Chooses the boards that a dashboard draws from. */
export function ConnectBoards(props: { workspaceId: string; connected: readonly string[]; onClose: () => void; onConnect: (ids: string[]) => void }) {
  const { workspaceId, connected, onClose, onConnect } = props;
  const { data: boards, error, refetch } = useBoards(workspaceId);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(connected);
  const words = search.trim().toLocaleLowerCase();
  const shown = boards?.filter((board) => board.name.toLocaleLowerCase().includes(words)) ?? [];
  const toggle = (id: string, isOn: boolean) => setChosen((old) => (isOn ? [...old, id] : old.filter((one) => one !== id)));
  // Boards that are not available stay connected: nothing here said that they should go.
  const known = new Set(boards?.map((board) => board.id));
  const count = chosen.filter((id) => known.has(id)).length;
  const isOver = chosen.length > CONNECTED_MAX;
  const isSame = chosen.length === connected.length && chosen.every((id) => connected.includes(id));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Connect boards"
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            variant="primary"
            isDisabled={!boards || isSame || isOver}
            onPress={() => {
              onConnect([...chosen]);
              onClose();
            }}
          >
            {`Connect ${count} ${count === 1 ? 'board' : 'boards'}`}
          </Button>
        </>
      }
    >
      {error && !boards ? (
        <ErrorState title="Boards could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : !boards ? (
        <Loading label="Loading boards" />
      ) : !boards.length ? (
        <EmptyState icon="board" title="No boards in this workspace">
          Create a board or import a file under Project boards, then connect it here.
        </EmptyState>
      ) : (
        <div onKeyDown={stepThroughBoxes}>
          <SearchField aria-label="Search boards" placeholder="Search boards" value={search} onChange={setSearch} autoFocus />
          <p className="sr-only" role="status">
            {words ? `${shown.length} of ${boards.length} boards` : ''}
          </p>
          <ul className="connect-list" aria-label="Boards">
            {shown.map((board) => (
              <Choice key={board.id} board={board} isOn={chosen.includes(board.id)} onChange={(isOn) => toggle(board.id, isOn)} />
            ))}
          </ul>
          {isOver && (
            <p className="connect-none" role="alert">
              A dashboard connects at most {CONNECTED_MAX} boards; {chosen.length.toLocaleString()} are chosen.
            </p>
          )}
          {!shown.length && <p className="connect-none">No board's name contains “{search}”.</p>}
        </div>
      )}
    </Dialog>
  );
}

function Choice({ board, isOn, onChange }: { board: BoardSummary; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <li className="connect-row">
      <Checkbox isSelected={isOn} onChange={onChange}>
        <span className="connect-name">{board.name}</span>
        <span className="connect-count">
          {board.itemCount.toLocaleString()} {board.itemCount === 1 ? 'item' : 'items'}
        </span>
      </Checkbox>
    </li>
  );
}

/** Arrows go from the search through the boxes, as in a list; Space chooses. */
function stepThroughBoxes(event: KeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (!step) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input')];
  const next = stops[stops.indexOf(document.activeElement as HTMLInputElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
