/** Merges all ready branches: what would be merged, then how far it is, then what came of each. */
import { useState } from 'react';
import { Link } from 'wouter';
import { Badge, Button, Dialog, ErrorState, Loading } from '@shell/components';
import {
  cancelMerge,
  startMerge,
  useBranchActions,
  useLatestMerge,
  useMerge,
  useMergePreview,
  type BranchMerge,
  type Merge,
} from './data';

const STATES: Record<string, { label: string; tone: 'neutral' | 'accent' | 'good' | 'warn' }> = {
  ready: { label: 'Ready', tone: 'good' },
  waiting: { label: 'Waiting', tone: 'neutral' },
  merging: { label: 'Merging', tone: 'accent' },
  merged: { label: 'Merged', tone: 'good' },
  conflict: { label: 'Conflicts', tone: 'warn' },
  skipped: { label: 'Skipped', tone: 'warn' },
  canceled: { label: 'Canceled', tone: 'neutral' },
};

export function MergeDialog({ onClose }: { onClose: () => void }) {
  const { refresh } = useBranchActions();
  const [started, setStarted] = useState<string | null>(null);
  const latest = useLatestMerge();
  const running = latest.data?.endedAt === null ? latest.data.id : null;
  const mergeId = started ?? running;
  const { data: merge, error } = useMerge(mergeId);
  const close = () => {
    onClose();
    // Merged branches have landed.
    if (mergeId !== null) void refresh();
  };
  if (mergeId === null) {
    return <Preview isEnabled={!latest.isPending} onClose={close} onStart={(of) => setStarted(of.id)} />;
  }
  return merge ? (
    <Progress merge={merge} onClose={close} />
  ) : (
    <Dialog isOpen onClose={close} title="Merge all ready branches" size="large">
      {error ? <ErrorState title="Couldn't load the merge" error={error} /> : <Loading label="Loading the merge" />}
    </Dialog>
  );
}

interface PreviewProps {
  isEnabled: boolean;
  onClose: () => void;
  onStart: (merge: Merge) => void;
}

function Preview({ isEnabled, onClose, onStart }: PreviewProps) {
  const { data: branches, error, refetch } = useMergePreview(isEnabled);
  const [isPending, setPending] = useState(false);
  const ready = branches?.filter(({ state }) => state === 'ready') ?? [];
  const others = branches?.filter(({ state }) => state !== 'ready') ?? [];
  const start = async () => {
    setPending(true);
    const merge = await startMerge(ready.map(({ sessionId }) => sessionId));
    if (merge) onStart(merge);
    else setPending(false);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Merge all ready branches"
      size="large"
      actions={
        <>
          <Button autoFocus onPress={onClose}>
            Cancel
          </Button>
          <Button variant="primary" isDisabled={ready.length === 0} isPending={isPending} onPress={() => void start()}>
            {ready.length === 1 ? 'Merge 1 branch' : `Merge ${ready.length.toLocaleString()} branches`}
          </Button>
        </>
      }
    >
      <p className="work-detail">
        Ready branches are merged one at a time, oldest session first. Branches with conflicts are skipped.
      </p>
      {error && !branches ? (
        <ErrorState title="Couldn't check branches" error={error} onRetry={() => void refetch()} />
      ) : !branches ? (
        <Loading label="Checking branches" />
      ) : (
        <>
          {ready.length > 0 ? (
            <Branches title="Ready" branches={ready} />
          ) : (
            <p role="status">No branch is ready to merge</p>
          )}
          {others.length > 0 && <Branches title="Not ready" branches={others} />}
        </>
      )}
    </Dialog>
  );
}

function Progress({ merge: { id, endedAt, branches }, onClose }: { merge: Merge; onClose: () => void }) {
  const [isCanceling, setCanceling] = useState(false);
  const count = (...states: string[]) => branches.filter(({ state }) => states.includes(state)).length;
  const done = branches.length - count('waiting', 'merging');
  const cancel = () => {
    setCanceling(true);
    void cancelMerge(id);
  };
  const merged = count('merged');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Merge all ready branches"
      size="large"
      actions={
        endedAt === null ? (
          <Button isPending={isCanceling} onPress={cancel}>
            Cancel merge
          </Button>
        ) : (
          <Button variant="primary" onPress={onClose}>
            Done
          </Button>
        )
      }
    >
      {endedAt === null ? (
        <div className="work-progress">
          <span role="status">Merging branches</span>
          <progress aria-label="Merged branches" value={done} max={Math.max(branches.length, 1)} />
          <span>{`${done.toLocaleString()} of ${branches.length.toLocaleString()}`}</span>
        </div>
      ) : (
        <p role="status">{`Merged ${merged.toLocaleString()} of ${branches.length.toLocaleString()}`}</p>
      )}
      <Branches title={endedAt === null ? 'Branches' : 'Results'} branches={branches} />
    </Dialog>
  );
}

function Branches({ title, branches }: { title: string; branches: readonly BranchMerge[] }) {
  return (
    <section aria-label={title} className="work-merges">
      <h3>
        {title} <span className="work-count">{branches.length.toLocaleString()}</span>
      </h3>
      <ul aria-label={title}>
        {branches.map(({ sessionId, title: session, branch, into, state, detail, files }) => (
          <li key={sessionId} className="work-merge">
            <div className="work-text">
              <Link href={`/sessions/${sessionId}`}>{session || 'Session'}</Link>
              <span className="work-detail">
                <code>{branch}</code>
                {into !== null && ` into ${into}`}
              </span>
              {detail !== '' && <span className="work-detail">{detail}</span>}
              {files.length > 0 && <span className="work-detail">{`Conflicts in ${files.join(', ')}`}</span>}
            </div>
            <Badge tone={STATES[state]?.tone ?? 'neutral'}>{STATES[state]?.label ?? state}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
