/** What is done with a whole dashboard, at the end of its head. Drawn again only where it says something else: the page around it is, with each answer. */
import { Button, IconButton, Menu, toast } from '@shell/components';
import { steady } from '@shell/steady';
import type { Saved } from './draft/draft';
import { savePng } from './export/png';
import { InvitedFaces } from './invite/InvitedFaces';
import { PublishButton } from './publish/PublishButton';
import { kinds } from './widgets';
import type { WidgetKind } from './widgets/kind';

/** Offers the kinds of widgets. */
export const AddMenu = ({
  variant,
  onAdd,
}: {
  variant: 'primary' | 'secondary';
  onAdd: (kind: WidgetKind) => void;
}) => (
  <Menu
    label="Add widget"
    groups={[
      {
        entries: kinds
          .filter((kind) => !kind.isOffMenu)
          .map((kind) => ({
            id: kind.kind,
            label: kind.label,
            detail: kind.detail,
            icon: kind.icon,
            onAction: () => onAdd(kind),
          })),
      },
    ]}
  >
    <Button variant={variant} icon="plus">
      Add widget
    </Button>
  </Menu>
);

interface ActionsProps {
  id: string;
  name: string;
  saved: Saved;
  canUndo: boolean;
  canRedo: boolean;
  hasWidgets: boolean;
  onUndo: () => void;
  onRedo: () => void;
  onInvite: () => void;
  onConnect: () => void;
  onAdd: (kind: WidgetKind) => void;
  onRename: () => void;
  onSnapshots: () => void;
  onDelete: () => void;
}

export const Actions = steady(
  ({
    id,
    name,
    saved,
    canUndo,
    canRedo,
    hasWidgets,
    onUndo,
    onRedo,
    onInvite,
    onConnect,
    onAdd,
    onRename,
    onSnapshots,
    onDelete,
  }: ActionsProps) => (
    <div className="page-actions">
      <IconButton icon="undo" label="Undo" keys="Ctrl Z" isDisabled={!canUndo} onPress={onUndo} />
      <span className="mirrored">
        <IconButton icon="undo" label="Redo" keys="Ctrl Y" isDisabled={!canRedo} onPress={onRedo} />
      </span>
      <InvitedFaces dashboardId={id} onPress={onInvite} />
      <Button icon="people" onPress={onInvite}>
        Invite
      </Button>
      <Button icon="link" onPress={onConnect}>
        Connect boards
      </Button>
      <PublishButton id={id} name={name} saved={saved} />
      <AddMenu variant="primary" onAdd={onAdd} />
      <Menu
        label="Dashboard"
        groups={[
          { entries: [{ id: 'rename', label: 'Rename', icon: 'edit', onAction: onRename }] },
          {
            entries: [
              {
                id: 'png',
                label: 'Export as PNG',
                icon: 'download',
                isDisabled: !hasWidgets,
                onAction: () =>
                  void savePng(name).catch((error: unknown) => toast.problem("Couldn't export image", error)),
              },
              {
                id: 'print',
                label: 'Print or save as PDF',
                icon: 'download',
                isDisabled: !hasWidgets,
                onAction: () => setTimeout(() => window.print()),
              },
            ],
          },
          { entries: [{ id: 'snapshots', label: 'Daily snapshots…', icon: 'history', onAction: onSnapshots }] },
          { entries: [{ id: 'delete', label: 'Delete dashboard', icon: 'trash', isDanger: true, onAction: onDelete }] },
        ]}
      >
        <IconButton icon="more" label="More" />
      </Menu>
    </div>
  ),
);
