/** Commit, merge, and pull request of a session's changes. */
import { useState } from 'react';
import { Button, TextField } from '@shell/components';
import { useChangeActions, type Changes } from './data';

export function Landing({
  session,
  changes,
  chosen,
}: {
  session: string;
  changes: Changes;
  chosen: readonly string[];
}) {
  const { commit, merge, publish } = useChangeActions(session);
  const [typed, setTyped] = useState<string | null>(null);
  const [busy, setBusy] = useState<'commit' | 'merge' | 'publish' | null>(null);
  const message = typed ?? changes.message;
  const run = (what: 'commit' | 'merge' | 'publish', action: () => Promise<unknown>) => {
    if (busy !== null) return;
    setBusy(what);
    void action().finally(() => setBusy(null));
  };
  const { base, branch } = changes;
  const isAhead = (changes.ahead ?? 0) > 0;
  return (
    <section className="landing" aria-label="Merge changes">
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
    </section>
  );
}
