/** Commit, merge, and pull request of a session's changes. */
import { useState } from 'react';
import { Button, ConfirmDialog, TextField } from '@shell/components';
import { useChangeActions, type Changes } from './data';

type Action = 'commit' | 'merge' | 'publish' | 'remove';

export function Landing({
  session,
  changes,
  chosen,
}: {
  session: string;
  changes: Changes;
  chosen: readonly string[];
}) {
  const { commit, merge, publish, removeWorktree } = useChangeActions(session);
  const [isRemoving, setRemoving] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const [busy, setBusy] = useState<Action | null>(null);
  const message = typed ?? changes.message;
  const run = (what: Action, action: () => Promise<unknown>) => {
    if (busy !== null) return;
    setBusy(what);
    void action().finally(() => setBusy(null));
  };
  const { base, branch, worktreeId } = changes;
  const isAhead = (changes.ahead ?? 0) > 0;
  return (
    <section className="landing" aria-label="Land the changes">
      {changes.inProgress && (
        <p
          className="landing-note"
          role="status"
        >{`A ${changes.inProgress} is in progress. Finish or abort it first.`}</p>
      )}
      {changes.isDirty && (
        <>
          <TextField label="Commit message" rows={2} value={message} onChange={setTyped} />
          <Button
            variant="primary"
            isPending={busy === 'commit'}
            isDisabled={message.trim() === '' || changes.inProgress !== null}
            onPress={() =>
              run('commit', async () => {
                if (await commit(message, [...chosen])) setTyped(null);
              })
            }
          >
            {chosen.length === 0
              ? 'Commit all'
              : chosen.length === 1
                ? 'Commit 1 file'
                : `Commit ${chosen.length} files`}
          </Button>
        </>
      )}
      {base !== null && (
        <div className="session-ask-actions">
          <Button
            isPending={busy === 'merge'}
            isDisabled={!isAhead || changes.isDirty}
            onPress={() => run('merge', () => merge(base))}
          >
            {`Merge into ${base}`}
          </Button>
          <Button
            isPending={busy === 'publish'}
            isDisabled={!isAhead || changes.remote === null}
            onPress={() => run('publish', () => publish(message))}
          >
            Open pull request
          </Button>
          {worktreeId !== null && (
            <Button isPending={busy === 'remove'} onPress={() => setRemoving(true)}>
              Remove worktree
            </Button>
          )}
          <span className="landing-note">
            {changes.isDirty
              ? 'Commit first to merge.'
              : !isAhead
                ? `${branch ?? 'The folder'} has no commits of its own.`
                : changes.remote === null
                  ? 'The repository has no remote.'
                  : `Pushes to ${changes.remote}`}
          </span>
        </div>
      )}
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove the worktree?"
        action="Remove worktree"
        onConfirm={() => {
          if (worktreeId !== null) run('remove', () => removeWorktree(worktreeId));
        }}
      >
        The session stops. The worktree stays in Trash for 30 days, and uncommitted changes are saved to a branch.
      </ConfirmDialog>
    </section>
  );
}
