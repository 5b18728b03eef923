/** The list of sessions with their states, and the button to start one. */
import { Link, useLocation, useSearch } from 'wouter';
import { Button, EmptyState, ErrorState, Icon, Loading, Page, ScreenReaderOnly, Select, Time } from '@shell/components';
import { isUnread, useEngineName, useHubs, useSessions, type Session } from './data';
import { NeedsList } from './needs/NeedsList';
import NewSession from './NewSession';
import { StateMark } from './State';
import { reasonOf, standing, STATES } from './states';
import { usePractice } from './usePractice';
import './sessions.css';

/** Filters of the list besides single states. */
const KINDS: Readonly<Record<string, { label: string; has: (session: Session) => boolean }>> = {
  all: { label: 'Not archived', has: ({ state }) => state !== 'archived' && state !== 'closed' },
  need: { label: 'Needs you', has: ({ needsYou }) => needsYou },
};

export default function SessionsPage() {
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch());
  const hub = asked.get('hub') ?? '';
  const state = asked.get('state') ?? 'all';
  const startingIn = asked.get('new');
  const { data: hubs } = useHubs();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useSessions(hub);
  const practice = usePractice();
  const go = (more: Record<string, string | null>) => {
    for (const [name, value] of Object.entries(more)) {
      if (value === null) asked.delete(name);
      else asked.set(name, value);
    }
    navigate(`/sessions${asked.size ? `?${asked.toString()}` : ''}`);
  };
  const all = data?.pages.flatMap((page) => page.items) ?? [];
  const shown = all.filter((session) => KINDS[state]?.has(session) ?? session.state === state);
  const nameOf = (id: string | null) => hubs?.find((one) => one.id === id)?.name ?? 'No hub';
  const isFirst = data !== undefined && all.length === 0 && hub === '';
  return (
    <Page
      title="Sessions"
      actions={
        <>
          <Button icon="search" onPress={() => navigate('/sessions/search')}>
            Search transcripts
          </Button>
          <Button icon="folder" onPress={() => navigate('/hubs')}>
            Manage hubs
          </Button>
          <Button onPress={() => navigate('/engines')}>View engines</Button>
          <Button variant={isFirst ? 'secondary' : 'primary'} icon="plus" onPress={() => go({ new: hub })}>
            Start a session
          </Button>
        </>
      }
    >
      {error && !data ? (
        <ErrorState title="Couldn't load sessions" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading label="Loading sessions" />
      ) : isFirst ? (
        <EmptyState
          icon="session"
          title="No sessions yet"
          action={
            <Button variant="primary" isPending={practice.isStarting} onPress={() => void practice.start()}>
              Start practice session
            </Button>
          }
        >
          A session is a conversation with a coding assistant in one of your folders. The practice agent needs no
          account.
        </EmptyState>
      ) : (
        <div className="sessions">
          <NeedsList />
          <div className="sessions-filters">
            <Select
              aria-label="Hub"
              value={hub}
              onChange={(id) => go({ hub: id || null })}
              options={[
                { value: '', label: 'All hubs' },
                ...(hubs ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            <Select
              aria-label="State"
              value={state}
              onChange={(to) => go({ state: to === 'all' ? null : to })}
              options={[
                ...Object.entries(KINDS).map(([value, { label }]) => ({ value, label })),
                ...STATES.map((one) => ({ value: one, label: standing(one).word })),
              ]}
            />
          </div>
          {shown.length === 0 ? (
            <EmptyState
              icon="filter"
              title="No matching sessions"
              action={<Button onPress={() => go({ hub: null, state: null })}>Show all sessions</Button>}
            />
          ) : (
            <ul className="sessions-list" aria-label="Sessions">
              {shown.map((session) => (
                <li key={session.id}>
                  <SessionLine session={session} hub={nameOf(session.projectId)} />
                </li>
              ))}
            </ul>
          )}
          {hasNextPage && (
            <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              Show older sessions
            </Button>
          )}
        </div>
      )}
      {startingIn !== null && <NewSession hub={startingIn} onClose={() => go({ new: null })} />}
    </Page>
  );
}

function SessionLine({ session, hub }: { session: Session; hub: string }) {
  const unread = isUnread(session);
  const engine = useEngineName()(session.engine);
  return (
    <Link href={`/sessions/${session.id}`} className="sessions-line" data-unread={unread || undefined}>
      <span className="sessions-state">
        <StateMark state={session.state} withWord />
      </span>
      <span className="sessions-title">
        {unread && <ScreenReaderOnly>Unread: </ScreenReaderOnly>}
        {session.title}
      </span>
      <span className="sessions-why">{reasonOf({ ...session, engine })}</span>
      {session.parentId && (
        <span className="sessions-from" title="Started by another session">
          <Icon name="link" size={12} />
          <ScreenReaderOnly>Started by another session</ScreenReaderOnly>
        </span>
      )}
      <span className="sessions-detail">{hub}</span>
      <span className="sessions-detail">{engine}</span>
      <span className="sessions-time">
        <Time at={session.changedAt} />
      </span>
    </Link>
  );
}
