/** All files that a session changed: list, diff, comments for the agent, and landing. */
import { useRef, useState } from 'react';
import { Button, EmptyState, ErrorState, IconButton, Loading } from '@shell/components';
import { usePreference } from '@shell/preferences';
import { useShortcuts } from '@shell/shortcuts';
import type { Detail } from '../data';
import { messageOf, useComments } from './comments';
import { useChangeActions, useChanges } from './data';
import { FileDiff } from './FileDiff';
import { FileList, type FileListHandle } from './FileList';
import { Landing } from './Landing';
import { PullRequestView } from './PullRequestView';
import './changes.css';

interface Props {
  session: Detail;
  /** Sends a message to the agent. Returns whether it was sent. */
  onSend: (message: string) => Promise<boolean>;
}

export default function ChangesView({ session, onSend }: Props) {
  const { data: changes, error, refetch } = useChanges(session);
  const { reload, setStaged } = useChangeActions(session.id);
  const [selected, select] = useState<string | null>(null);
  const [layout, setLayout] = usePreference('diff-layout');
  const list = useRef<FileListHandle>(null);
  const files = changes?.files ?? [];
  const file = files.find(({ path }) => path === selected) ?? files[0];
  const step = (by: number) => {
    const next = files[files.indexOf(file!) + by];
    if (!next) return;
    select(next.path);
    list.current?.focus(files.indexOf(next));
  };
  useShortcuts('Changes', [
    { keys: 'j', label: 'Next file', run: () => step(1) },
    { keys: 'k', label: 'Previous file', run: () => step(-1) },
    {
      keys: 's',
      label: 'Stage or unstage the file',
      run: () => {
        if (!file || file.stage === 'committed') return false;
        void setStaged(file.stage !== 'staged', file);
      },
    },
  ]);
  if (error && !changes)
    return <ErrorState title="Couldn't load changes" error={error} onRetry={() => void refetch()} />;
  if (!changes) return <Loading label="Loading changes" />;
  const isSplit = layout === 'split';
  return (
    <div className="session-changes">
      <header className="changes-head">
        <span>{summary(changes.branch, changes.base, changes.ahead, changes.behind)}</span>
        <Button onPress={() => setLayout(isSplit ? null : 'split')} aria-pressed={isSplit}>
          Side by side
        </Button>
        <IconButton icon="restart" label="Reload changes" onPress={reload} />
      </header>
      {files.length === 0 ? (
        <EmptyState icon="check" title="No changes">
          Files that differ from the base appear here.
        </EmptyState>
      ) : (
        <div className="changes-body">
          <FileList
            ref={list}
            files={files}
            selected={file}
            leftOut={changes.leftOut}
            onSelect={(one) => select(one.path)}
            onStage={(isStaged, one) => void setStaged(isStaged, one)}
          />
          <div className="changes-diff">
            {file && <FileDiff key={file.path} session={session} file={file} isSplit={isSplit} />}
          </div>
        </div>
      )}
      <CommentBar session={session.id} onSend={onSend} />
      <Landing key={changes.baseCommit} session={session.id} changes={changes} />
      {changes.remote !== null && <PullRequestView session={session} onSend={onSend} />}
    </div>
  );
}

const commits = (count: number) => (count === 1 ? '1 commit' : `${count} commits`);

function summary(branch: string | null, base: string | null, ahead: number | null, behind: number | null): string {
  if (base === null) return branch === null ? 'Uncommitted changes' : `Uncommitted changes on ${branch}`;
  const distance = [ahead ? `${commits(ahead)} ahead` : '', behind ? `${commits(behind)} behind` : '']
    .filter(Boolean)
    .join(', ');
  return `${branch ?? 'No branch'}, compared with ${base}${distance ? `: ${distance}` : ''}`;
}

/** Sends all comments in one message. */
function CommentBar({ session, onSend }: { session: string; onSend: Props['onSend'] }) {
  const { comments, clear } = useComments(session);
  const [isSending, setSending] = useState(false);
  if (comments.length === 0) return null;
  const send = async () => {
    setSending(true);
    if (await onSend(messageOf(comments))) clear();
    setSending(false);
  };
  return (
    <div className="comment-bar" role="group" aria-label="Review comments">
      <span>{comments.length === 1 ? '1 comment' : `${comments.length} comments`}</span>
      <Button variant="primary" isPending={isSending} onPress={() => void send()}>
        Send to agent
      </Button>
      <Button onPress={clear}>Discard</Button>
    </div>
  );
}
