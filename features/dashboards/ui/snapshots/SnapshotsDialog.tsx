import { useState } from 'react';
import { Button, Dialog, ErrorState, Loading, Switch } from '@shell/components';
import { counted } from '../words';
import { useChangeSnapshots, useSnapshots } from './data';

const size = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000).toLocaleString()} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Says what daily snapshots keep, and switches them. What is chosen holds at once. */
export function SnapshotsDialog({ dashboardId, onClose }: { dashboardId: string; onClose: () => void }) {
  const { data, error, refetch } = useSnapshots(dashboardId);
  const { set, forget } = useChangeSnapshots(dashboardId);
  const [isAsking, setAsking] = useState(false);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Daily snapshots"
      size="medium"
      actions={<Button onPress={onClose}>Close</Button>}
    >
      {error && !data ? (
        <ErrorState title="Couldn't load snapshots" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading snapshots" />
      ) : (
        <div className="snapshots">
          <Switch isSelected={data.on} onChange={(on) => void set(on)} aria-describedby="snapshots-what">
            Take daily sprint snapshots
          </Switch>
          <p id="snapshots-what">
            Records each sprint every evening, so Burndown and Planned vs. unplanned are exact. When off, existing
            snapshots stay.
          </p>
          <p>
            Snapshots stay on this computer: up to 8 MB and 400 days per dashboard, the oldest sprints deleted first.
          </p>
          <p role="status">
            {data.days > 0
              ? `Stored: ${counted(data.days, 'day')} of ${counted(data.sprints, 'sprint')}, ${size(data.bytes)}.`
              : data.on
                ? "No snapshots yet. Today's is taken at the end of the day."
                : 'No snapshots.'}
          </p>
          {data.unreadable > 0 && (
            <p role="alert">{`Couldn't read snapshots of ${counted(data.unreadable, 'board')}, so no new days are recorded. Delete snapshots to start over.`}</p>
          )}
          {data.bytes > 0 &&
            (isAsking ? (
              <p className="snapshots-ask">
                <span>Deleted snapshots can't be restored.</span>
                <Button
                  variant="danger"
                  onPress={() => {
                    setAsking(false);
                    void forget();
                  }}
                >
                  Delete permanently
                </Button>
                <Button onPress={() => setAsking(false)}>Cancel</Button>
              </p>
            ) : (
              <Button icon="trash" onPress={() => setAsking(true)}>
                Delete snapshots
              </Button>
            ))}
        </div>
      )}
    </Dialog>
  );
}
