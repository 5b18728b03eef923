/** The session's state, reason, and facts, above its transcript. */
import { Link, useLocation } from 'wouter';
import { Button, CopyButton, Icon, Menu, ScreenReaderOnly } from '@shell/components';
import { elapsedTime, formatInstant, useNow } from '@shell/dates';
import { useBranch, useEngineName, useParent, type Detail, type Hub } from './data';
import { StateMark } from './State';
import { reasonOf, standing } from './states';

const tokens = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** Share of the context from which the bar warns. */
const FULL = 0.9;

/** How much of the context is in use, or the number of tokens if its size is unknown. */
function Context({ usedTokens, sizeTokens, spentTokens }: Pick<Detail, 'usedTokens' | 'sizeTokens' | 'spentTokens'>) {
  if (usedTokens <= 0 && spentTokens <= 0) return null;
  if (usedTokens <= 0)
    return (
      <span
        title={`${spentTokens.toLocaleString()} tokens in all turns`}
      >{`${tokens.format(spentTokens)} tokens`}</span>
    );
  if (sizeTokens <= 0)
    return <span title={`${usedTokens.toLocaleString()} tokens`}>{`${tokens.format(usedTokens)} tokens`}</span>;
  const share = Math.min(1, usedTokens / sizeTokens);
  const percent = share.toLocaleString(undefined, { style: 'percent' });
  return (
    <span
      className="session-context"
      data-full={share >= FULL || undefined}
      title={`Context: ${usedTokens.toLocaleString()} of ${sizeTokens.toLocaleString()} tokens`}
    >
      <span className="session-context-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>
        <ScreenReaderOnly>Context: </ScreenReaderOnly>
        {`${percent} of ${tokens.format(sizeTokens)}`}
      </span>
    </span>
  );
}

/** The branch of a session in a worktree. */
function Branch({ session }: { session: Detail }) {
  const branch = useBranch(session);
  if (!branch) return null;
  return (
    <span className="session-branch" title={`Branch ${branch}`}>
      <Icon name="branch" size={12} />
      <ScreenReaderOnly>Branch: </ScreenReaderOnly>
      <code>{branch}</code>
      <CopyButton text={branch} label="Copy branch" />
    </span>
  );
}

/** The session that a fork continues, in words. */
const originOf = ({ title, message }: NonNullable<Detail['forkedFrom']>) =>
  `Forked from ${title ?? 'another session'}${message === null ? '' : ` at message ${message}`}`;

export function SessionHead({ session, hub }: { session: Detail; hub: Hub | undefined }) {
  const now = useNow(1_000);
  const [, navigate] = useLocation();
  const parent = useParent(session.parentId);
  const engine = useEngineName()(session.engine);
  const reason = reasonOf({ ...session, engine });
  const isWorktree = hub !== undefined && hub.folder !== session.cwd && hub.purpose === '';
  return (
    <div className="session-head">
      <span className="session-stands">
        {/* The time beside it changes every second and shouldn't be announced each time. */}
        <span role="status">
          <StateMark state={session.state} withWord />
        </span>
        <time
          dateTime={session.since}
          title={formatInstant(session.since, 'full')}
        >{`for ${elapsedTime(session.since, now)}`}</time>
      </span>
      {reason && <span className="session-why">{reason}</span>}
      {session.leftRunning.length > 0 && (
        <span className="session-why">
          {`May still run: ${session.leftRunning.join(', ')}. Stop the session to end them.`}
        </span>
      )}
      <span className="session-facts">
        <span title={session.cwd}>{hub?.name ?? session.cwd}</span>
        {isWorktree && <Branch session={session} />}
        <span>{[engine, session.model].filter(Boolean).join(' · ')}</span>
        {session.driven && <span>agent-driven</span>}
        {session.parentId && (
          <Link href={`/sessions/${session.parentId}`}>
            {parent === null ? 'Started by another session' : `Started by ${parent}`}
          </Link>
        )}
        {session.forkedFrom && (
          <Link href={`/sessions/${session.forkedFrom.sessionId}?at=${session.forkedFrom.entry}`}>
            {originOf(session.forkedFrom)}
          </Link>
        )}
        {session.children.length > 0 && (
          <Menu
            label="Child sessions"
            groups={[
              {
                entries: session.children.map(({ id, title, state }) => ({
                  id,
                  label: title,
                  detail: standing(state).word,
                  onAction: () => navigate(`/sessions/${id}`),
                })),
              },
            ]}
          >
            <Button variant="plain">
              {session.children.length === 1 ? '1 child session' : `${session.children.length} child sessions`}
            </Button>
          </Menu>
        )}
        {session.todo && <span>{`${session.todo.done} of ${session.todo.total} done`}</span>}
        <Context {...session} />
        {session.costUsd !== null && <span title="Cost">{dollars.format(session.costUsd)}</span>}
      </span>
    </div>
  );
}
