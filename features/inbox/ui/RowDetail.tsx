/** One row with everything of it: text, links, the card of its request, and what can be done with it. */
import { Suspense } from 'react';
import { Link } from 'wouter';
import { Badge, Button, Icon, Loading, Time } from '@shell/components';
import { formatInstant } from '@shell/dates';
import { features } from '@shell/features';
import { useRowTime } from '@shell/rowTime';
import { kindOf, maker, target, useIsAbandoned, type KindRecord, type Row, type RowActions } from './data';

const requestCards = features.flatMap((feature) => feature.requestCard ?? []);
const rowBodies = new Map(features.flatMap((feature) => Object.entries(feature.rowBodies ?? {})));
const sessionCards = features.flatMap((feature) => feature.sessionCards ?? []);

interface Props {
  row: Row;
  kinds: readonly KindRecord[] | undefined;
  hub: string | undefined;
  board: string | undefined;
  actions: RowActions;
  onOpen: () => void;
  onSnooze: () => void;
  onFollowUp: () => void;
  onStartSession: () => void;
}

export function RowDetail({ row, kinds, hub, board, actions, ...on }: Props) {
  useRowTime(row.id);
  const kind = kindOf(row, kinds);
  const isAbandoned = useIsAbandoned(row);
  const isOver = row.state === 'dismissed' || row.state === 'settled';
  const leads = row.link ? target(row.link) : null;
  return (
    <article className="inbox-detail" aria-label={row.title}>
      <h2 className="inbox-detail-title">{row.title}</h2>
      <p className="inbox-meta">
        {row.severity !== 'info' && (
          <Badge tone={row.severity === 'critical' ? 'bad' : 'warn'} icon="warning">
            {row.severity === 'critical' ? 'Critical' : 'Warning'}
          </Badge>
        )}
        <span>
          <Icon name={kind.icon} /> {kind.label}
        </span>
        {hub && <span>{hub}</span>}
        {board && row.boardId && <Link href={`/boards/${row.boardId}`}>{board}</Link>}
        {row.sessionId ? <Link href={`/sessions/${row.sessionId}`}>View session</Link> : <span>{maker(row)}</span>}
        <Time at={row.changedAt} />
        {row.snoozedUntil && <span>Snoozed until {formatInstant(row.snoozedUntil)}</span>}
        {row.followUpAt && <span>Reminder at {formatInstant(row.followUpAt)}</span>}
        {row.outcome && <span>{row.outcome}</span>}
      </p>
      <div className="inbox-detail-actions">
        {leads && (
          <Button variant="primary" icon="chevronRight" onPress={on.onOpen} aria-keyshortcuts="O">
            Open
          </Button>
        )}
        {!isOver && row.state !== 'snoozed' && (
          <Button icon="clock" onPress={on.onSnooze} aria-keyshortcuts="S">
            Snooze
          </Button>
        )}
        {row.state === 'snoozed' && (
          <Button icon="undo" onPress={() => void actions.unsnooze(row)}>
            End snooze
          </Button>
        )}
        {!isOver && (
          <Button icon="bell" onPress={on.onFollowUp} aria-keyshortcuts="F">
            {row.followUpAt ? 'Change reminder' : 'Remind me'}
          </Button>
        )}
        <Button
          icon={row.read ? 'circle' : 'eye'}
          onPress={() => void actions.setRead(row, !row.read)}
          aria-keyshortcuts="U"
        >
          {row.read ? 'Mark unread' : 'Mark read'}
        </Button>
        {row.kind === 'alert' && (
          <Button icon="session" onPress={on.onStartSession}>
            Start session
          </Button>
        )}
        {row.state === 'dismissed' ? (
          <Button icon="undo" onPress={() => void actions.restore(row)} aria-keyshortcuts="E">
            Restore
          </Button>
        ) : (
          (!row.waits || isAbandoned) &&
          !isOver && (
            <Button icon="close" onPress={() => void actions.dismiss(row)} aria-keyshortcuts="E">
              Dismiss
            </Button>
          )
        )}
      </div>
      {leads && 'site' in leads && <p className="inbox-meta">{`Opens ${leads.site}`}</p>}
      <Body row={row} isOver={isOver} />
      {row.attachments.length > 0 && (
        <ul className="inbox-attachments" aria-label="Attachments">
          {row.attachments.map(({ label, url }, at) => (
            <li key={at}>
              <Attachment label={label} url={url} />
            </li>
          ))}
        </ul>
      )}
      {isAbandoned && <p className="inbox-meta">The session no longer exists, so this can&apos;t be answered.</p>}
      {row.waits && row.sessionId && !isAbandoned && (
        <div className="inbox-request">
          <Suspense fallback={<Loading />}>
            {row.askId
              ? requestCards.map((Card, at) => (
                  <Card key={at} sessionId={row.sessionId ?? ''} askId={row.askId ?? ''} />
                ))
              : sessionCards.map((Card, at) => <Card key={at} sessionId={row.sessionId ?? ''} />)}
          </Suspense>
        </div>
      )}
    </article>
  );
}

/** The text, drawn by the feature whose kind of row it is. */
function Body({ row, isOver }: { row: Row; isOver: boolean }) {
  const Drawn = rowBodies.get(row.kind);
  if (!Drawn) return row.body && <p className="inbox-body">{row.body}</p>;
  return (
    <div className="inbox-drawn">
      <Suspense fallback={<Loading />}>
        <Drawn body={row.body} link={row.link} isOpen={!isOver} />
      </Suspense>
    </div>
  );
}

/** A link whose text is an agent's: where it leads is beside it. */
function Attachment({ label, url }: { label: string; url: string }) {
  const leads = target(url);
  if (!leads) return <span>{label}</span>;
  if ('page' in leads) return <Link href={leads.page}>{label}</Link>;
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer">
        {label}
      </a>{' '}
      <span className="inbox-site">{leads.site}</span>
    </>
  );
}
