/** Scheduled messages: created, tried, paused, changed, approved, and deleted. */
import { useState } from 'react';
import { Badge, Button, EmptyState, ErrorState, IconButton, Loading, Page, Switch, Time } from '@shell/components';
import { Approval } from './Approval';
import { scheduleOf, useMessageActions, useMessages, type ScheduledMessage } from './data';
import { MessageDialog } from './MessageDialog';
import './scheduled.css';

export default function MessagesPage() {
  const { data: messages, error, refetch } = useMessages();
  const [editing, setEditing] = useState<ScheduledMessage | 'new' | null>(null);
  const add = (
    <Button icon="plus" onPress={() => setEditing('new')}>
      New message
    </Button>
  );
  return (
    <Page title="Scheduled messages" actions={add}>
      <div className="scheduled">
        {error && !messages ? (
          <ErrorState title="Couldn't load messages" error={error} onRetry={() => void refetch()} />
        ) : !messages ? (
          <Loading label="Loading messages" />
        ) : messages.length === 0 ? (
          <EmptyState icon="calendar" title="No scheduled messages">
            Messages reach your inbox, a session, or a new session, once or on days of the week.
          </EmptyState>
        ) : (
          <ul className="scheduled-list" aria-label="Scheduled messages">
            {messages.map((message) => (
              <MessageRow key={message.id} message={message} onEdit={() => setEditing(message)} />
            ))}
          </ul>
        )}
      </div>
      {editing && <MessageDialog message={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
    </Page>
  );
}

const TARGETS = { inbox: 'To inbox', session: 'To a session', hub: 'Starts a session' } as const;

function MessageRow({ message, onEdit }: { message: ScheduledMessage; onEdit: () => void }) {
  const { update, run, remove } = useMessageActions();
  const { title, approval, nextAt, problem } = message;
  return (
    <li className="scheduled-row" data-off={!message.on || undefined}>
      <div className="scheduled-text">
        <p className="scheduled-title">
          {title} {approval === 'waiting' && <Badge tone="warn">Needs approval</Badge>}
          {approval === 'denied' && <Badge tone="bad">Denied</Badge>}
        </p>
        <p className="scheduled-detail">
          {`${TARGETS[message.target]}, ${scheduleOf(message)}`}
          {nextAt && approval !== 'denied' && (
            <>
              {', '}
              <Time at={nextAt} isAhead />
            </>
          )}
        </p>
        {problem && <p className="scheduled-problem">{problem}</p>}
      </div>
      {approval === 'waiting' && <Approval message={message} />}
      <IconButton icon="chevronRight" label={`Send ${title} now`} onPress={() => void run(message)} />
      <IconButton icon="edit" label={`Edit ${title}`} onPress={onEdit} />
      <IconButton icon="trash" label={`Delete ${title}`} onPress={() => void remove(message)} />
      <Switch isSelected={message.on} onChange={(on) => void update(message.id, { on })} aria-label={title} />
    </li>
  );
}
