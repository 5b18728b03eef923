/** Commit, merge, and pull request of a session's changes. */
import { useState } from 'react';
import { Button, ConfirmDialog, TextField } from '@shell/components';
import { useChangeActions, type Changes } from './data';

type Action = 'staged' | 'all' | 'merge' | 'publish' | 'remove';

export function Landing({ session, changes }: { session: string; changes: Changes }) {
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
  const hasStaged = changes.files.some(({ stage }) => stage === 'staged' || stage === 'partly');
  const isOff = message.trim() === '' || changes.inProgress !== null;
  const commitNow = (what: 'staged' | 'all') =>
    run(what, async () => {
      if (await commit(message, what === 'staged')) setTyped(null);
    });
  return (
    <section className="landing" aria-label="Merge changes">
      {changes.inProgress && (
        <p
          className="landing-note"
          role="status"
        >{`A ${changes.inProgress} is in progress. Ask the agent to finish it, or run git ${changes.inProgress} --abort.`}</p>
      )}
      {changes.notices.length > 0 && (
        <ul className="landing-notices" aria-label="Notices">
          {changes.notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
      {changes.isDirty && (
        <>
          <TextField label="Commit message" rows={2} value={message} onChange={setTyped} />
          {hasStaged && (
            <Button
              variant="primary"
              isPending={busy === 'staged'}
              isDisabled={isOff}
              onPress={() => commitNow('staged')}
            >
              Commit staged
            </Button>
          )}
          <Button
            variant={hasStaged ? 'secondary' : 'primary'}
            isPending={busy === 'all'}
            isDisabled={isOff}
            onPress={() => commitNow('all')}
          >
            Commit all
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
              ? 'Commit your changes to merge.'
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
