/** The panels and dialogs of an open dashboard. */
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { client } from '@shell/client';
import { ConfirmDialog, toast } from '@shell/components';
import type { Picked } from './charts/points';
import { ConnectBoards } from './ConnectBoards';
import { LISTS } from './data';
import { useRestore } from './Deleted';
import { EditPanel } from './EditPanel';
import { Explain } from './explain/Explain';
import { ItemsBehind } from './explain/ItemsBehind';
import { inForce } from './export/InForce';
import { dropped } from './grid/layout';
import { InviteDialog } from './invite/InviteDialog';
import { changeWidget, placeWidgets } from './model';
import { MoveDialog } from './MoveDialog';
import { SnapshotsDialog } from './snapshots/SnapshotsDialog';
import type { Dashboard } from './useDashboard';
import { kindOf } from './widgets';

export type OpenDialog =
  | { what: 'connect' | 'delete' | 'invite' | 'snapshots' }
  | { what: 'edit' | 'move' | 'explain'; widget: string }
  | { what: 'items'; widget: string; part?: Picked; title: string };

interface DialogProps {
  dashboard: Dashboard;
  open: OpenDialog | null;
  onClose: () => void;
}

export function DashboardDialogs({ dashboard, open, onClose }: DialogProps) {
  const { id, draft, config } = dashboard;
  return (
    <>
      {open && 'widget' in open && <WidgetDialog dashboard={dashboard} open={open} onClose={onClose} />}
      {open?.what === 'invite' && <InviteDialog dashboardId={id} onClose={onClose} />}
      {open?.what === 'snapshots' && <SnapshotsDialog dashboardId={id} onClose={onClose} />}
      {open?.what === 'connect' && (
        <ConnectBoards
          workspaceId={draft.workspaceId}
          connected={config.boardIds}
          onClose={onClose}
          onConnect={(ids) => void dashboard.connect(ids)}
        />
      )}
      <DeleteDialog dashboard={dashboard} open={open} onClose={onClose} />
    </>
  );
}

/** What's open for a widget. */
function WidgetDialog({ dashboard, open, onClose }: DialogProps & { open: Extract<OpenDialog, { widget: string }> }) {
  const { config, boards, answers, scoped, session, said, configuredOf, onlyOf, titleOf, edit, setSettings } =
    dashboard;
  const chosen = config.widgets.find((widget) => widget.id === open.widget);
  const chosenKind = chosen && kindOf(chosen.kind);
  return (
    <>
      {open.what === 'edit' && chosen && chosenKind && (
        <EditPanel
          key={chosen.id}
          widget={chosen}
          kind={chosenKind}
          configured={configuredOf(chosen)}
          answer={answers.byId.get(chosen.id)}
          boards={boards.infos}
          boardIds={config.boardIds}
          placeholder={chosenKind.describe(configuredOf(chosen), boards.infos)}
          onClose={onClose}
          onTitle={(title) =>
            edit((now) => changeWidget(now, chosen.id, (one) => ({ ...one, title })), `title ${chosen.id}`)
          }
          onSettings={(next) => setSettings(chosen, next)}
        />
      )}
      {open.what === 'explain' && chosen && chosenKind && (
        <Explain
          widget={chosen}
          title={titleOf(chosen.id)}
          kind={chosenKind}
          answer={answers.byId.get(chosen.id)}
          boards={boards.infos}
          filters={scoped}
          inForce={inForce({ ...said, filters: config.filters, session: session.all, at_ms: null })}
          members={said.members}
          onClose={onClose}
        />
      )}
      {open.what === 'items' && chosen && (
        <ItemsBehind
          widget={chosen.id}
          title={open.title}
          part={open.part}
          boards={boards.infos}
          load={answers.items}
          only={onlyOf(chosen, open.part)}
          onClose={onClose}
        />
      )}
      {open.what === 'move' && chosen && (
        <MoveDialog
          title={titleOf(chosen.id)}
          box={chosen.layout}
          onClose={onClose}
          onMove={({ x, y }) =>
            edit((now) =>
              placeWidgets(
                now,
                dropped(
                  now.widgets.map((one) => ({ id: one.id, ...one.layout })),
                  chosen.id,
                  { ...chosen.layout, x, y },
                ),
              ),
            )
          }
        />
      )}
    </>
  );
}

function DeleteDialog({ dashboard: { id, draft, doc }, open, onClose }: DialogProps) {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const restore = useRestore();
  const deleteDashboard = async () => {
    try {
      await client.delete('/dashboards/{dashboardId}', { path: { dashboardId: id } });
      await draft.discard();
      void cache.invalidateQueries({ queryKey: LISTS });
      navigate('/dashboards');
      toast.done(`Deleted ${doc.name}`, { undo: () => restore(id, doc.name) });
    } catch (error) {
      toast.problem(`Couldn't delete ${doc.name}`, error);
    }
  };

  return (
    <ConfirmDialog
      isOpen={open?.what === 'delete'}
      onClose={onClose}
      onConfirm={() => void deleteDashboard()}
      title={`Delete ${doc.name}`}
      action="Delete dashboard"
    >
      Moves the dashboard, its widgets, and its filters to Trash for everyone in the workspace. You can restore it for
      30 days. Connected boards aren't affected.
    </ConfirmDialog>
  );
}
