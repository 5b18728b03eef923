/** The live list of agents: hub, state, current step, and progress. */
import { useLocation } from 'wouter';
import { GridList, GridListItem } from 'react-aria-components';
import { Button, EmptyState, ErrorState, Loading, Page, Time } from '@shell/components';
import { StateMark } from '../State';
import { standing } from '../states';
import { useNeeds } from '../needs/data';
import { useLines, type Line } from './data';
import './board.css';

export default function AgentBoardPage() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useLines();
  const [, navigate] = useLocation();
  const lines = data?.pages.flatMap((page) => page.items) ?? [];
  // The same number as in the sidebar and the inbox.
  const needing = useNeeds().data?.length ?? 0;
  const open = (id: string) => navigate(`/sessions/${id}`);
  return (
    <Page
      title="Agent Board"
      detail={data && (needing > 0 ? `${needing} ${needing === 1 ? 'needs' : 'need'} you` : undefined)}
    >
      {error && !data ? (
        <ErrorState title="Couldn't load agents" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading agents" />
      ) : lines.length === 0 ? (
        <EmptyState
          icon="kanban"
          title="No agents yet"
          action={<Button onPress={() => navigate('/sessions')}>Go to sessions</Button>}
        >
          Start a session to see its agent's state, step, and progress here.
        </EmptyState>
      ) : (
        <div className="agent-board">
          <GridList aria-label="Agents" items={lines} onAction={(key) => open(String(key))} className="agent-lines">
            {(line) => (
              <GridListItem
                id={line.id}
                textValue={`${line.title}, ${standing(line.state).word}`}
                className="agent-line"
              >
                <LineView line={line} />
              </GridListItem>
            )}
          </GridList>
          {hasNextPage && (
            <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              Show older agents
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}

function LineView({ line }: { line: Line }) {
  return (
    <div className="agent-line-in" data-needs={line.needsYou || undefined}>
      <span className="agent-state" title={line.why || undefined}>
        <StateMark state={line.state} withWord />
      </span>
      <span className="agent-name">
        <span className="agent-title">{line.title}</span>
        <span className="agent-from">
          {line.hub || 'No hub'} · {line.engine}
        </span>
      </span>
      <span className="agent-phase">{line.phase}</span>
      <span className="agent-todo">
        {line.total === null ? '' : <Progress done={line.done ?? 0} total={line.total} />}
      </span>
      <span className="agent-since">
        <Time at={line.since} />
      </span>
    </div>
  );
}

function Progress({ done, total }: { done: number; total: number }) {
  return (
    <>
      <progress value={done} max={total} aria-label="To-do" />
      <span>{`To-do ${done}/${total}`}</span>
    </>
  );
}
