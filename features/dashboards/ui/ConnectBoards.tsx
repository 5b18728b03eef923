import { useState, type KeyboardEvent } from 'react';
import { Button, Checkbox, Dialog, EmptyState, ErrorState, Loading, SearchField } from '@shell/components';
import { AGENT_SESSIONS, useAgentSessions, useBoards, type BoardSummary } from './boards';
import { counted } from './words';

/** Boards that the program lets one dashboard connect. */
const CONNECTED_MAX = 100;

/** Chooses the boards that a dashboard draws from. */
export function ConnectBoards(props: {
  workspaceId: string;
  connected: readonly string[];
  onClose: () => void;
  onConnect: (ids: string[]) => void;
}) {
  const { workspaceId, connected, onClose, onConnect } = props;
  const { data: boards, error, refetch } = useBoards(workspaceId);
  const { data: sessions } = useAgentSessions();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(connected);
  const words = search.trim().toLocaleLowerCase();
  const shown = boards?.filter((board) => board.name.toLocaleLowerCase().includes(words)) ?? [];
  const toggle = (id: string, isOn: boolean) =>
    setChosen((old) => (isOn ? [...old, id] : old.filter((one) => one !== id)));
  // Unavailable boards stay connected: nothing here said that they should go.
  const known = new Set([AGENT_SESSIONS, ...(boards?.map((board) => board.id) ?? [])]);
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
            {count === 0 && connected.length > 0 ? 'Disconnect all' : `Connect ${counted(count, 'board')}`}
          </Button>
        </>
      }
    >
      {error && !boards ? (
        <ErrorState title="Couldn't load boards" error={error} onRetry={() => void refetch()} />
      ) : !boards ? (
        <Loading label="Loading boards" />
      ) : (
        // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Keys of the elements inside bubble up here.
        <div onKeyDown={stepThroughBoxes}>
          {!boards.length && (
            <EmptyState icon="board" title="No boards in this workspace">
              Create or import a board, then connect it here.
            </EmptyState>
          )}
          {boards.length > 0 && (
            <SearchField
              aria-label="Search boards"
              placeholder="Search boards"
              value={search}
              onChange={setSearch}
              autoFocus
            />
          )}
          <p className="sr-only" role="status">
            {words ? `${shown.length} of ${boards.length} boards` : ''}
          </p>
          <ul className="connect-list" aria-label="Boards">
            {shown.map((board) => (
              <Choice
                key={board.id}
                board={board}
                isOn={chosen.includes(board.id)}
                onChange={(isOn) => toggle(board.id, isOn)}
              />
            ))}
          </ul>
          {words && !shown.length && <p className="connect-none">No board's name contains “{search}”.</p>}
          {sessions && (
            <section className="connect-apart" aria-labelledby="connect-sessions">
              <h3 id="connect-sessions">From Pilothouse</h3>
              <ul className="connect-list" aria-label="From Pilothouse">
                <Choice
                  board={sessions}
                  noun="session"
                  isOn={chosen.includes(AGENT_SESSIONS)}
                  onChange={(isOn) => toggle(AGENT_SESSIONS, isOn)}
                />
              </ul>
              {sessions.itemCount === 0 && (
                <p className="connect-none">
                  No sessions yet. Connect it to see each session's cost, turns, and run time.
                </p>
              )}
            </section>
          )}
          {isOver && (
            <p className="connect-none" role="alert">
              A dashboard connects at most {CONNECTED_MAX} boards; {chosen.length.toLocaleString()} are chosen.
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Choice({
  board,
  noun = 'item',
  isOn,
  onChange,
}: {
  board: BoardSummary;
  noun?: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <li className="connect-row">
      <Checkbox isSelected={isOn} onChange={onChange}>
        <span className="connect-name">{board.name}</span>
        <span className="connect-count">{counted(board.itemCount, noun)}</span>
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
