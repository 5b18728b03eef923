/** The session's state, reason, and facts, above its transcript. */
import { Link, useLocation } from 'wouter';
import { Button, Menu } from '@shell/components';
import { elapsedTime, formatInstant, useNow } from '@shell/dates';
import { useEngineName, useParent, type Detail } from './data';
import { StateMark } from './State';
import { reasonOf, standing } from './states';

const tokens = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

export function SessionHead({ session, hub }: { session: Detail; hub: string }) {
  const now = useNow(1_000);
  const [, navigate] = useLocation();
  const parent = useParent(session.parentId);
  const engine = useEngineName()(session.engine);
  const reason = reasonOf({ ...session, engine });
  const share = session.sizeTokens > 0 ? Math.min(1, session.usedTokens / session.sizeTokens) : null;
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
        <span title={session.cwd}>{hub}</span>
        <span>{[engine, session.model].filter(Boolean).join(' · ')}</span>
        {session.driven && <span>agent-driven</span>}
        {session.parentId && (
          <Link href={`/sessions/${session.parentId}`}>
            {parent === null ? 'Started by another session' : `Started by ${parent}`}
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
        {session.usedTokens > 0 && (
          <span
            title={`${session.usedTokens.toLocaleString()} tokens${session.sizeTokens > 0 ? ` of ${session.sizeTokens.toLocaleString()}` : ''}`}
          >
            {share === null
              ? `${tokens.format(session.usedTokens)} tokens`
              : `Context ${share.toLocaleString(undefined, { style: 'percent' })}`}
          </span>
        )}
        {session.costUsd !== null && <span>{dollars.format(session.costUsd)}</span>}
      </span>
    </div>
  );
}
