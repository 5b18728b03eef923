/** One digest: what a model wrote, and the facts by hub. */
import { Link, useParams } from 'wouter';
import { Badge, EmptyState, ErrorState, Loading, Page } from '@shell/components';
import { formatInstant } from '@shell/dates';
import { useDigest, type Digest, type DigestSection, type DigestSession } from './data';
import './digests.css';

export default function DigestPage() {
  const { id = '' } = useParams();
  const { data: digest, error, refetch } = useDigest(id);
  return (
    <Page title={digest?.label ?? 'Digest'}>
      {error && !digest ? (
        <ErrorState title="Couldn't load digest" error={error} onRetry={() => void refetch()} />
      ) : !digest ? (
        <Loading label="Loading digest" />
      ) : (
        <DigestView digest={digest} />
      )}
    </Page>
  );
}

function DigestView({ digest: { from, to, paused, content } }: { digest: Digest }) {
  const titles = new Map(content.sessions.map((session) => [session.id, session.title]));
  const hubs = new Map<string, DigestSession[]>();
  for (const session of content.sessions) hubs.set(session.hub, [...(hubs.get(session.hub) ?? []), session]);
  return (
    <div className="digest">
      <p className="digest-period">{`${formatInstant(from)} to ${formatInstant(to)}`}</p>
      {paused && <p role="status">Paused: the spending limit is reached. It's written on the next day.</p>}
      {content.note !== '' && <p role="status">{`Facts only. ${content.note}`}</p>}
      {content.note === '' && content.model === '' && content.sessions.length > 0 && (
        <p className="digest-period">
          Facts only. <Link href="/models">Choose a utility model</Link> to get a summary.
        </p>
      )}
      {content.statements.length > 0 && (
        <section aria-labelledby="digest-summary">
          <h2 id="digest-summary">Summary</h2>
          <ul className="digest-statements">
            {content.statements.map(({ text, sessionIds }, at) => (
              <li key={at}>
                {text}{' '}
                {sessionIds.map((session) => (
                  <Link key={session} href={`/sessions/${session}`} className="digest-source">
                    {titles.get(session) ?? 'Session'}
                  </Link>
                ))}
              </li>
            ))}
          </ul>
          <p className="digest-period">{`Written by ${content.model}. Check the sessions for details.`}</p>
        </section>
      )}
      {content.omitsSessions ? null : content.sessions.length === 0 ? (
        <EmptyState icon="session" title="No sessions">
          No session was active in this period.
        </EmptyState>
      ) : (
        [...hubs].map(([hub, sessions]) => <HubFacts key={hub} hub={hub || 'Removed hub'} sessions={sessions} />)
      )}
      {content.hasMore && <p>More sessions were active than shown here.</p>}
      {content.sections.map((section) => (
        <SourceFacts key={section.source} section={section} />
      ))}
      {content.skipped.length > 0 && (
        <p className="digest-period">{`Skipped sources: ${content.skipped.join('; ')}`}</p>
      )}
    </div>
  );
}

function HubFacts({ hub, sessions }: { hub: string; sessions: readonly DigestSession[] }) {
  return (
    <section aria-label={hub}>
      <h2>{hub}</h2>
      <ul className="digest-facts">
        {sessions.map(({ id, title, state, needsYou, turns, costUsd }) => (
          <li key={id}>
            <Link href={`/sessions/${id}`}>{title}</Link>
            <Badge tone={needsYou ? 'warn' : 'neutral'}>{state}</Badge>
            <span className="digest-period">
              {[
                turns === 1 ? '1 turn' : `${turns} turns`,
                costUsd !== null && costUsd.toLocaleString(undefined, { style: 'currency', currency: 'USD' }),
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SourceFacts({ section: { label, entries, hasMore } }: { section: DigestSection }) {
  return (
    <section aria-label={label}>
      <h2>{label}</h2>
      {entries.length === 0 ? (
        <p className="digest-period">Nothing today</p>
      ) : (
        <ul className="digest-facts">
          {entries.map(({ title, about, at, link }, index) => (
            <li key={index}>
              <Link href={link}>{title}</Link>
              <span className="digest-period">
                {[at !== null && formatInstant(at), about].filter(Boolean).join(', ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasMore && <p className="digest-period">There are more than shown here.</p>}
    </section>
  );
}
