/** Alarms: created from a sentence or a form, turned on and off, tried, changed, and deleted. */
import { useDeferredValue, useState } from 'react';
import {
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorState,
  IconButton,
  Loading,
  Page,
  Switch,
  TextField,
  Time,
} from '@shell/components';
import { reasonOf } from '@shell/api';
import { AlarmDialog } from './AlarmDialog';
import { daysOf, HERE, nameOf, useAlarmActions, useAlarms, useUnderstood, type Alarm } from './data';
import './alarms.css';

export default function AlarmsPage() {
  const { data: alarms, error, refetch } = useAlarms();
  const [editing, setEditing] = useState<Alarm | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Alarm | null>(null);
  const { remove } = useAlarmActions();
  return (
    <Page
      title="Alarms"
      actions={
        <Button icon="plus" onPress={() => setEditing('new')}>
          New alarm
        </Button>
      }
    >
      <div className="alarms">
        <SentenceForm />
        {error && !alarms ? (
          <ErrorState title="Couldn't load alarms" error={error} onRetry={() => void refetch()} />
        ) : !alarms ? (
          <Loading label="Loading alarms" />
        ) : alarms.length === 0 ? (
          <EmptyState icon="clock" title="No alarms">
            Alarms ring once or on days of the week.
          </EmptyState>
        ) : (
          <ul className="alarms-list" aria-label="Alarms">
            {alarms.map((alarm) => (
              <AlarmRow
                key={alarm.id}
                alarm={alarm}
                onEdit={() => setEditing(alarm)}
                onDelete={() => setDeleting(alarm)}
              />
            ))}
          </ul>
        )}
      </div>
      {editing && <AlarmDialog alarm={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      <ConfirmDialog
        isOpen={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete ${deleting ? nameOf(deleting) : ''}`}
        action="Delete alarm"
        onConfirm={() => deleting && void remove(deleting)}
      >
        {"This can't be undone."}
      </ConfirmDialog>
    </Page>
  );
}

/** Creates an alarm from a sentence, and shows how it's understood. */
function SentenceForm() {
  const [text, setText] = useState('');
  const [isPending, setPending] = useState(false);
  const { create } = useAlarmActions();
  const { data, error, isPlaceholderData } = useUnderstood(useDeferredValue(text.trim()));
  const submit = async () => {
    if (text.trim() === '' || isPending) return;
    setPending(true);
    if (await create({ text: text.trim() })) setText('');
    setPending(false);
  };
  const understood = text.trim() !== '' && !error && data;
  return (
    <form
      className="alarms-sentence"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label="Describe an alarm"
        placeholder="Every weekday at 9:30 to stand up"
        value={text}
        onChange={setText}
        maxLength={300}
        autoComplete="off"
        error={text.trim() !== '' && error ? reasonOf(error) : null}
        help={
          <span aria-live="polite" data-stale={isPlaceholderData || undefined}>
            {understood
              ? [
                  `${understood.label || 'Alarm'}: ${understood.time.slice(0, 5)}`,
                  daysOf(understood),
                  understood.timeZone === HERE ? '' : understood.timeZone,
                ]
                  .filter(Boolean)
                  .join(', ')
              : 'Such as “in 20 minutes” or “tomorrow at noon in Tokyo”.'}
          </span>
        }
      />
      <Button type="submit" variant="primary" isDisabled={text.trim() === ''} isPending={isPending}>
        Create
      </Button>
    </form>
  );
}

const STATES: Partial<Record<Alarm['state'], string>> = {
  held: 'Held by Focus Mode',
  ringing: 'Ringing',
  snoozed: 'Snoozed',
};

function AlarmRow({ alarm, onEdit, onDelete }: { alarm: Alarm; onEdit: () => void; onDelete: () => void }) {
  const { update, ring, dismiss } = useAlarmActions();
  const name = nameOf(alarm);
  const state = STATES[alarm.state];
  return (
    <li className="alarms-row" data-off={!alarm.on || undefined}>
      <span className="alarms-time">{alarm.time.slice(0, 5)}</span>
      <div className="alarms-text">
        <p className="alarms-label">{name}</p>
        <p className="alarms-detail">
          {daysOf(alarm)}
          {alarm.timeZone !== HERE && `, ${alarm.timeZone}`}
          {alarm.nextAt && (
            <>
              {', '}
              <Time at={alarm.nextAt} isAhead />
            </>
          )}
          {state && `, ${state}`}
        </p>
      </div>
      {alarm.state === 'idle' ? (
        <IconButton icon="bell" label={`Ring ${name} now`} onPress={() => void ring(alarm)} />
      ) : (
        <Button onPress={() => void dismiss(alarm)} aria-label={`Dismiss ${name}`}>
          Dismiss
        </Button>
      )}
      <IconButton icon="edit" label={`Edit ${name}`} onPress={onEdit} />
      <IconButton icon="trash" label={`Delete ${name}`} onPress={onDelete} />
      <Switch isSelected={alarm.on} onChange={(on) => void update(alarm, { on })} aria-label={name} />
    </li>
  );
}
