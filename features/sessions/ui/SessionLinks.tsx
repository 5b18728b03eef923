/** The hubs with their newest sessions, below "Sessions" in the sidebar. */
import { lazy, Suspense, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { IconButton, Menu, ScreenReaderOnly } from '@shell/components';
import { isUnread, useHubs, useNewest, type Session } from './data';
import { StateMark } from './State';

/** Sessions shown per hub, and hubs shown; the page lists all. */
const SHOWN_MAX = 5;
const HUBS_MAX = 8;
/** The newest ones, and all that need you. */
const isListed = ({ needsYou }: Session, at: number) => needsYou || at < SHOWN_MAX;
/** States that are never shown here. */
const AWAY = new Set(['archived', 'closed']);

const NewSession = lazy(() => import('./NewSession'));

export function SessionLinks() {
  const { data: hubs } = useHubs();
  const { data: sessions } = useNewest();
  const [, navigate] = useLocation();
  /** The hub in which to start a session; empty for the one chosen last. */
  const [startingIn, startIn] = useState<string | null>(null);
  const shown = sessions?.filter(({ state }) => !AWAY.has(state)) ?? [];
  const groups = (hubs ?? []).map((hub) => ({ hub, own: shown.filter(({ projectId }) => projectId === hub.id) }));
  // Hubs with the latest activity first; hubs without sessions last.
  const newest = (own: readonly Session[]) =>
    own.reduce((max, { changedAt }) => (changedAt > max ? changedAt : max), '');
  groups.sort((a, b) => newest(b.own).localeCompare(newest(a.own)) || a.hub.name.localeCompare(b.hub.name));
  const rest = shown.length - groups.slice(0, HUBS_MAX).reduce((sum, { own }) => sum + own.filter(isListed).length, 0);
  return (
    <>
      <span className="session-new">
        <IconButton icon="plus" label="Start a session" onPress={() => startIn('')} />
      </span>
      {groups.slice(0, HUBS_MAX).map(({ hub, own }) => (
        <div key={hub.id} role="group" aria-label={hub.name}>
          <div className="session-hub">
            <span title={hub.folder}>{hub.name}</span>
            <Menu
              label={`Hub ${hub.name}`}
              groups={[
                {
                  entries: [
                    { id: 'show', label: 'Show sessions', onAction: () => navigate(`/sessions?hub=${hub.id}`) },
                    { id: 'edit', label: 'Edit hub', onAction: () => navigate(`/hubs?edit=${hub.id}`) },
                    { id: 'manage', label: 'Manage hubs', onAction: () => navigate('/hubs') },
                  ],
                },
              ]}
            >
              <IconButton icon="more" label={`Options for ${hub.name}`} />
            </Menu>
            <IconButton icon="plus" label={`Start a session in ${hub.name}`} onPress={() => startIn(hub.id)} />
          </div>
          {own.length > 0 && (
            <ul className="nav-list" aria-label={`Sessions of ${hub.name}`}>
              {own.filter(isListed).map((session) => (
                <li key={session.id}>
                  <SessionLink session={session} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
      {(rest > 0 || groups.length > HUBS_MAX) && (
        <Link href="/sessions" className="nav-link">
          <span className="nav-label">All sessions</span>
        </Link>
      )}
      {startingIn !== null && (
        <Suspense>
          <NewSession hub={startingIn} onClose={() => startIn(null)} />
        </Suspense>
      )}
    </>
  );
}

function SessionLink({ session }: { session: Session }) {
  const [location] = useLocation();
  const isOpen = location === `/sessions/${session.id}`;
  const unread = !isOpen && isUnread(session);
  return (
    <Link
      href={`/sessions/${session.id}`}
      className="nav-link"
      aria-current={isOpen ? 'page' : undefined}
      data-unread={unread || undefined}
    >
      <StateMark state={session.state} />
      <span className="nav-label" title={session.title}>
        {session.title}
      </span>
      {unread && (
        <>
          <span className="session-unread" />
          <ScreenReaderOnly>, unread</ScreenReaderOnly>
        </>
      )}
    </Link>
  );
}
