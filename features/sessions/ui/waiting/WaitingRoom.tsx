/** The waiting room: what runs while nothing needs you. It goes on to the next session that does. */
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button, EmptyState, ErrorState, Loading, Page } from '@shell/components';
import { elapsedTime, useNow } from '@shell/dates';
import { useShortcuts } from '@shell/shortcuts';
import { useHubs, useNewest, type Session } from '../data';
import { goToNeed, useNeeds } from '../needs/data';
import { NeedsList } from '../needs/NeedsList';
import { StateMark } from '../State';
import { isActive, standing } from '../states';
import './waiting.css';

/** How long it's announced that a session needs you before its page opens. */
const ANNOUNCED_MS = 3_000;
/** How often ages are updated. */
const AGE_MS = 10_000;

export default function WaitingRoom() {
  const { data: needs, error, refetch } = useNeeds();
  const [, navigate] = useLocation();
  /** What needed you when you chose to stay: only something new goes on. */
  const [stayed, setStayed] = useState<ReadonlySet<string>>(new Set());
  const next = needs?.find(({ id }) => !stayed.has(id));
  const { id, link } = next ?? {};
  const stay = () => {
    if (!next) return false;
    setStayed(new Set(needs?.map((need) => need.id)));
  };
  useEffect(() => {
    if (id === undefined || link === undefined) return;
    const timer = setTimeout(() => {
      setStayed((before) => new Set([...before, id]));
      // A dialog that is open stays.
      if (!document.querySelector('[role="dialog"]')) goToNeed({ id, link }, navigate);
    }, ANNOUNCED_MS);
    return () => clearTimeout(timer);
  }, [id, link, navigate]);
  useShortcuts('Waiting room', [{ keys: 'Escape', label: 'Stay in the waiting room', run: () => stay() }]);
  return (
    <Page title="Waiting room">
      <div className="waiting-room">
        <div className="waiting-next" role="status">
          {next && (
            <>
              <p>
                <strong>{next.title}</strong> needs you. Opening…
              </p>
              <Button variant="primary" onPress={() => goToNeed(next, navigate)}>
                Open now
              </Button>
              <Button onPress={() => void stay()} aria-keyshortcuts="Escape">
                Stay
              </Button>
            </>
          )}
        </div>
        {error && !needs ? (
          <ErrorState title="Couldn't load requests" error={error} onRetry={() => void refetch()} />
        ) : !needs ? (
          <Loading label="Loading requests" />
        ) : needs.length > 0 ? (
          <NeedsList />
        ) : (
          <EmptyState icon="clock" title="Nothing needs you">
            The next session that needs you opens here.
          </EmptyState>
        )}
        <Running />
      </div>
    </Page>
  );
}

/** The sessions that work now. */
function Running() {
  const { data: sessions } = useNewest();
  const { data: hubs } = useHubs();
  const now = useNow(AGE_MS);
  const running = sessions?.filter(({ state, needsYou }) => isActive(state) && !needsYou) ?? [];
  const hubOf = ({ projectId }: Session) => hubs?.find(({ id }) => id === projectId)?.name ?? '';
  if (!sessions) return null;
  return (
    <section aria-labelledby="waiting-running">
      <h2 id="waiting-running">Running</h2>
      {running.length === 0 ? (
        <p className="waiting-none">No session is running.</p>
      ) : (
        <ul className="waiting-list">
          {running.map((session) => (
            <li key={session.id}>
              <StateMark state={session.state} />
              <Link href={`/sessions/${session.id}`}>{session.title}</Link>
              <span className="waiting-about">
                {[hubOf(session), standing(session.state).word, elapsedTime(session.since, now)]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
