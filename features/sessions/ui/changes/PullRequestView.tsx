/** The pull request of a session's branch: its checks and review comments, which can be sent to the agent. */
import { useState } from 'react';
import { Badge, Button, Icon, type IconName } from '@shell/components';
import Markdown from '../shown/Markdown';
import { failedLog, usePullRequest, type PullRequest, type Turn } from './data';

const CHECKS: Readonly<Record<string, { icon: IconName; label: string }>> = {
  passed: { icon: 'check', label: 'Passed' },
  failed: { icon: 'warning', label: 'Failed' },
  running: { icon: 'clock', label: 'Running' },
  skipped: { icon: 'info', label: 'Skipped' },
};
const DECISIONS = {
  approved: 'Approved',
  changesRequested: 'Changes requested',
  reviewRequired: 'Review required',
} as const;

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

export function PullRequestView({ session, onSend }: { session: Turn; onSend: (message: string) => Promise<boolean> }) {
  const { data } = usePullRequest(session);
  const [busy, setBusy] = useState<'checks' | 'comments' | null>(null);
  const pull = data?.pullRequest;
  if (!pull) return data?.trouble ? <p className="landing-note">{data.trouble}</p> : null;
  const failed = pull.checks.filter(({ state }) => state === 'failed');
  const send = (what: 'checks' | 'comments', message: () => Promise<string>) => {
    if (busy !== null) return;
    setBusy(what);
    void message()
      .then(onSend)
      .finally(() => setBusy(null));
  };
  return (
    <section className="pull-request" aria-label={`Pull request ${pull.number}`}>
      <header className="pull-request-head">
        <h3>
          <a href={pull.url} target="_blank" rel="noreferrer">{`#${pull.number} ${pull.title}`}</a>
        </h3>
        <Badge tone={pull.state === 'open' ? 'good' : 'neutral'}>
          {pull.isDraft ? 'Draft' : pull.state === 'open' ? 'Open' : pull.state === 'merged' ? 'Merged' : 'Closed'}
        </Badge>
        {pull.decision && <Badge>{DECISIONS[pull.decision as keyof typeof DECISIONS]}</Badge>}
      </header>
      {pull.checks.length > 0 && (
        <ul className="pull-request-checks" aria-label="Checks">
          {pull.checks.map(({ name, state, url }, at) => (
            <li key={at} data-state={state}>
              <Icon name={CHECKS[state]?.icon ?? 'info'} />
              <span className="sr-only">{CHECKS[state]?.label}</span>
              {url ? (
                <a href={url} target="_blank" rel="noreferrer">
                  {name}
                </a>
              ) : (
                name
              )}
            </li>
          ))}
        </ul>
      )}
      {pull.comments.length > 0 && (
        <ul className="pull-request-comments" aria-label="Review comments of the pull request">
          {pull.comments.map(({ author, body, path, line, url }, at) => (
            <li key={at}>
              <p className="landing-note">
                {url ? (
                  <a href={url} target="_blank" rel="noreferrer">
                    {author}
                  </a>
                ) : (
                  author
                )}
                {path && ` on ${path}${line === null ? '' : `:${line}`}`}
              </p>
              <Markdown text={body} />
            </li>
          ))}
        </ul>
      )}
      <div className="session-ask-actions">
        {failed.length > 0 && (
          <Button
            isPending={busy === 'checks'}
            onPress={() => send('checks', () => checksMessage(session.id, pull.number, failed))}
          >
            {`Send ${count(failed.length, 'failed check')} to agent`}
          </Button>
        )}
        {pull.comments.length > 0 && (
          <Button
            isPending={busy === 'comments'}
            onPress={() => send('comments', () => Promise.resolve(commentsMessage(pull)))}
          >
            {`Send ${count(pull.comments.length, 'comment')} to agent`}
          </Button>
        )}
      </div>
    </section>
  );
}

/** A fence that a text can't close. */
const fenced = (text: string) => {
  const ticks = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1;
  const fence = '`'.repeat(ticks);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
};

async function checksMessage(session: string, number: number, checks: PullRequest['checks']): Promise<string> {
  const parts = checks.map(async ({ name, url, jobId }) => {
    const log = await failedLog(session, jobId);
    return [`${name} failed${url ? ` (${url})` : ''}.`, ...(log ? [fenced(log)] : [])].join('\n');
  });
  return `Checks of pull request #${number} failed. Fix the causes and commit.\n\n${(await Promise.all(parts)).join('\n\n')}`;
}

function commentsMessage({ number, comments }: PullRequest): string {
  const parts = comments.map(({ author, body, path, line }) => {
    const where = path ? `${path}${line === null ? '' : `:${line}`}, ` : '';
    return `${where}${author}:\n${body.trim().replace(/^/gm, '> ')}`;
  });
  return `Address the review comments on pull request #${number}. They are quoted below.\n\n${parts.join('\n\n')}`;
}
