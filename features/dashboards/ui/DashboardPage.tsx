import { useEffect, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { ApiError } from '@shell/api';
import { Button, EmptyState, ErrorState, Loading, NoAnswer, Page } from '@shell/components';
import { useConnection } from '@shell/live';
import { isTyping, useShortcuts } from '@shell/shortcuts';
import { Actions, AddMenu } from './Actions';
import { isBegun, takeBegun, useBegun, type Begun } from './begun';
import { DashboardDialogs, type OpenDialog } from './DashboardDialogs';
import { DashboardName } from './DashboardName';
import { isUntouched, NEW_PATH, useBegunKept, useNameOfNew } from './data';
import { useRestore } from './Deleted';
import type { Draft } from './draft/draft';
import { useOpenDraft } from './draft/useDraft';
import { startEngine } from './engine';
import { NewDashboard } from './NewDashboard';
import { Proposals } from './proposals/Proposals';
import { SavedState } from './SavedState';
import { useEarlyPast } from './snapshots/data';
import { Tiles } from './Tiles';
import { Toolbar } from './toolbar/Toolbar';
import { Unavailable } from './Unavailable';
import { useDashboard } from './useDashboard';
import type { WidgetKind } from './widgets/kind';
import { idle } from './words';
import { setPageTitle } from '@shell/title';
import './dashboards.css';
import './export/print.css';

/** One dashboard, also one that is on its way. */
export default function DashboardPage() {
  const { id = '' } = useParams<{ id: string }>();
  const begun = useBegun();
  const [path, navigate] = useLocation();
  const known = path === NEW_PATH ? null : id;
  const { draft, error, again } = useOpenDraft(known);
  useEffect(startEngine, []);
  useEarlyPast(known);
  useBegunKept(known);
  const connection = useConnection();
  const isNew = known === null || isBegun(known);
  if (draft) return <OpenDashboard key={id} id={id} draft={draft} begun={isNew ? begun : null} />;
  if (!error && isNew) return <NewDashboard />;
  if (!error) return connection === 'lost' ? <NoAnswer what="dashboard" /> : <Loading label="Loading dashboard" />;
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Page title="Dashboard">
      {isGone ? (
        <EmptyState
          icon="dashboard"
          title="Dashboard not found"
          action={<Button onPress={() => navigate('/dashboards')}>Show all dashboards</Button>}
        >
          It may have been deleted, or the link is wrong.
        </EmptyState>
      ) : (
        <ErrorState title="Couldn't load dashboard" error={error} onRetry={again} />
      )}
    </Page>
  );
}

function OpenDashboard({
  id,
  draft,
  begun,
}: {
  id: string;
  draft: Draft;
  /** What was typed before it was there. */ begun: Begun | null;
}) {
  const dashboard = useDashboard(id, draft);
  const { doc, config, saved, canUndo, canRedo, boards, members, session, subject, matching } = dashboard;
  const { rename, edit, filter, clearFilters, add } = dashboard;
  const [naming, setNaming] = useState(begun?.naming ?? null);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const restore = useRestore();

  useEffect(() => {
    setPageTitle(doc.name);
  }, [doc.name]);
  useEffect(() => {
    if (!begun) return;
    const { name } = takeBegun();
    if (name) rename(name);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- Only what was typed before it was there.
  }, []);
  useNameOfNew(() => {
    const isNew = isUntouched(doc);
    if (isNew) setNaming({});
    return isNew;
  });

  useShortcuts('Dashboard', [
    {
      keys: 'Escape',
      label: 'Remove the chart filter',
      run: () => {
        if (session.all.length === 0) return false;
        session.clear();
      },
    },
    {
      keys: 'Mod+z',
      label: 'Undo (with Shift: redo)',
      run: (event) => {
        // In a field the keys take back what was typed there.
        if (isTyping(event.target)) return false;
        if (event.shiftKey) draft.redo();
        else draft.undo();
      },
    },
    {
      keys: 'Mod+y',
      label: 'Redo',
      run: (event) => {
        if (isTyping(event.target)) return false;
        draft.redo();
      },
    },
    { keys: 'b', label: 'Connect boards', run: () => setOpen({ what: 'connect' }) },
  ]);

  const count = config.boardIds.length;
  return (
    <div className="page">
      <div className="page-main">
        <header className="page-head">
          <DashboardName
            name={doc.name}
            naming={naming}
            onNaming={setNaming}
            onRename={rename}
            isSuccessor={begun !== null}
          />
          <SavedState
            saved={saved}
            onTakeTheirs={draft.takeTheirs}
            onKeepMine={draft.keepMine}
            onRestore={() => void restore(id, doc.name, true)}
          />
          <Actions
            id={id}
            name={doc.name}
            saved={saved}
            canUndo={canUndo}
            canRedo={canRedo}
            hasWidgets={config.widgets.length > 0}
            onUndo={draft.undo}
            onRedo={draft.redo}
            onInvite={() => setOpen({ what: 'invite' })}
            onConnect={() => setOpen({ what: 'connect' })}
            onAdd={(kind) => void add(kind)}
            onRename={() => setNaming({})}
            onSnapshots={() => setOpen({ what: 'snapshots' })}
            onDelete={() => setOpen({ what: 'delete' })}
          />
        </header>
        {count > 0 && (
          <Toolbar
            subject={subject}
            members={members}
            filters={config.filters}
            onFilters={filter}
            inert={idle(matching?.coverage, 'shared')}
            count={
              matching?.coverage.itemsTotal === undefined
                ? null
                : { matching: matching.coverage.itemsUsed, of: matching.coverage.itemsTotal }
            }
            session={session.all}
            onDrop={session.drop}
            onClear={clearFilters}
          />
        )}
        <div className="page-body dash-body">
          <Proposals id={id} draft={draft} />
          {boards.missing.length > 0 && (
            <Unavailable
              workspaceId={draft.workspaceId}
              missing={boards.missing}
              onDisconnect={(board) =>
                edit((now) => ({ ...now, boardIds: now.boardIds.filter((one) => one !== board) }))
              }
            />
          )}
          {config.widgets.length ? (
            <Tiles dashboard={dashboard} open={open} onOpen={setOpen} />
          ) : (
            <NoWidgets boards={count} onAdd={(kind) => void add(kind)} onConnect={() => setOpen({ what: 'connect' })} />
          )}
        </div>
      </div>
      <DashboardDialogs dashboard={dashboard} open={open} onClose={() => setOpen(null)} />
    </div>
  );
}

/** What to do on a dashboard without widgets. */
function NoWidgets({
  boards,
  onAdd,
  onConnect,
}: {
  boards: number;
  onAdd: (kind: WidgetKind) => void;
  onConnect: () => void;
}) {
  return boards ? (
    <EmptyState icon="chart" title="Add the first widget" action={<AddMenu variant="secondary" onAdd={onAdd} />}>
      Numbers shows one figure and Chart compares labels, people, or boards, over{' '}
      {boards === 1 ? 'the connected board' : `all ${boards} connected boards`}.
    </EmptyState>
  ) : (
    <EmptyState
      icon="dashboard"
      title="Connect boards to start"
      action={
        <Button variant="primary" icon="link" onPress={onConnect}>
          Connect boards
        </Button>
      }
    >
      Connect boards, then add widgets to show their data.
    </EmptyState>
  );
}
