import { useState } from 'react';
import { Button, Dialog, ErrorState, Loading, Switch } from '@shell/components';
import { counted } from '../words';
import { useChangeSnapshots, useSnapshots } from './data';

const size = (bytes: number) => (bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000).toLocaleString()} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`);

/** Says what daily snapshots keep, and switches them. What is chosen holds at once. */
export function SnapshotsDialog({ dashboardId, onClose }: { dashboardId: string; onClose: () => void }) {
  const { data, error, refetch } = useSnapshots(dashboardId);
  const { set, forget } = useChangeSnapshots(dashboardId);
  const [isAsking, setAsking] = useState(false);
  return (
    <Dialog isOpen onClose={onClose} title="Daily snapshots" size="medium" actions={<Button onPress={onClose}>Close</Button>}>
      {error && !data ? (
        <ErrorState title="What is kept could not be read" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading what is kept" />
      ) : (
        <div className="snapshots">
          <Switch isSelected={data.on} onChange={(on) => void set(on)} aria-describedby="snapshots-what">
            Remember the sprints of this dashboard every day
          </Switch>
          <p id="snapshots-what">
            When a day has ended, this computer records for each connected board which items were in which sprint, their effort and whether they were done: for sprints that have dates, from a week before to 30 days after. Burndown and Planned vs unplanned are then exact for every sprint that was seen from its first day.
          </p>
          <p>The record stays in the database of this computer, at most 8 MB for a dashboard and 400 days; the oldest sprints go first. It is never published and goes with the dashboard. Switched off, nothing more is recorded, and what was recorded stays.</p>
          <p role="status">
            {data.days > 0
              ? `Kept: ${counted(data.days, 'day')} of ${counted(data.sprints, 'sprint')}, ${size(data.bytes)}.`
              : data.on
                ? 'Nothing is kept yet: today is recorded when it has ended.'
                : 'Nothing is kept.'}
          </p>
          {data.unreadable > 0 && <p role="alert">{`What is kept of ${counted(data.unreadable, 'board')} cannot be read, and no new day is recorded. Deleting what is kept makes room for new days.`}</p>}
          {data.bytes > 0 &&
            (isAsking ? (
              <p className="snapshots-ask">
                <span>Deleted snapshots cannot be brought back.</span>
                <Button
                  variant="danger"
                  onPress={() => {
                    setAsking(false);
                    void forget();
                  }}
                >
                  Delete for good
                </Button>
                <Button onPress={() => setAsking(false)}>Keep</Button>
              </p>
            ) : (
              <Button icon="trash" onPress={() => setAsking(true)}>
                Delete what is kept
              </Button>
            ))}
        </div>
      )}
    </Dialog>
  );
}
