/** Schedules a message, or changes one, with a preview of its Markdown and of how its time is understood. */
import { lazy, Suspense, useDeferredValue, useId, useState } from 'react';
import { Button, Dialog, Loading, Select, TextField } from '@shell/components';
import { reasonOf } from '@shell/api';
import { formatInstant } from '@shell/dates';
import {
  scheduleOf,
  useMessageActions,
  useTargets,
  useUnderstood,
  type MessageFields,
  type MessageTarget,
  type ScheduledMessage,
} from './data';
import './scheduled.css';

const MessageBody = lazy(() => import('./MessageBody'));

const TARGETS: { value: MessageTarget; label: string }[] = [
  { value: 'inbox', label: 'Inbox' },
  { value: 'hub', label: 'New session in a hub' },
  { value: 'session', label: 'Session' },
];

interface Draft {
  title: string;
  body: string;
  when: string;
  target: MessageTarget;
  targetId: string;
}

const draftOf = (message: ScheduledMessage | null): Draft => ({
  title: message?.title ?? '',
  body: message?.body ?? '',
  when: '',
  target: message?.target ?? 'inbox',
  targetId: message?.sessionId ?? message?.hubId ?? '',
});

/** The fields that are sent: what changed, without empty ones. */
function fieldsOf(first: Draft, draft: Draft): MessageFields {
  const { title, body, when, target, targetId } = draft;
  const isMoved = target !== first.target || targetId !== first.targetId;
  return {
    ...(title.trim() !== '' && title !== first.title && { title: title.trim() }),
    ...(body !== first.body && { body }),
    ...(when.trim() !== '' && { when: when.trim() }),
    ...(isMoved && (target === 'session' ? { sessionId: targetId } : { hubId: target === 'hub' ? targetId : '' })),
  };
}

export function MessageDialog({ message, onClose }: { message: ScheduledMessage | null; onClose: () => void }) {
  const [first] = useState(() => draftOf(message));
  const [draft, setDraft] = useState(first);
  const [isTried, setTried] = useState(false);
  const [isPending, setPending] = useState(false);
  const { create, update } = useMessageActions();
  const form = useId();
  const put = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const isMissing = {
    body: draft.body.trim() === '',
    when: !message && draft.when.trim() === '',
    target: draft.target !== 'inbox' && draft.targetId === '',
  };
  const save = async () => {
    setTried(true);
    if (isPending || isMissing.body || isMissing.when || isMissing.target) return;
    setPending(true);
    const fields = fieldsOf(first, draft);
    const isSaved = message ? await update(message.id, fields) : await create({ ...fields, body: draft.body });
    setPending(false);
    if (isSaved) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={message ? `Edit ${message.title}` : 'New message'}
      size="large"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isPending={isPending}>
            {message ? 'Save' : 'Schedule'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="scheduled-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Title"
          value={draft.title}
          onChange={(title) => put({ title })}
          maxLength={200}
          placeholder="If empty, the start of the text"
        />
        <WhenField
          when={draft.when}
          onChange={(when) => put({ when })}
          now={message ? scheduleOf(message) : ''}
          isMissing={isTried && isMissing.when}
        />
        <TargetFields draft={draft} put={put} isMissing={isTried && isMissing.target} />
        <TextField
          label="Text"
          value={draft.body}
          onChange={(body) => put({ body })}
          rows={8}
          counter={20_000}
          help="Supports Markdown."
          error={isTried && isMissing.body ? 'Enter a message.' : null}
        />
        {draft.body.trim() !== '' && (
          <section className="scheduled-preview" aria-label="Preview">
            <Suspense fallback={<Loading />}>
              <MessageBody body={draft.body} />
            </Suspense>
          </section>
        )}
      </form>
    </Dialog>
  );
}

/** A time in words, with how it's understood. */
function WhenField(props: { when: string; onChange: (when: string) => void; now: string; isMissing: boolean }) {
  const { when, onChange, now, isMissing } = props;
  const { data, error, isPlaceholderData } = useUnderstood(useDeferredValue(when.trim()));
  const problem = isMissing ? 'Enter a time.' : when.trim() !== '' && error ? reasonOf(error) : null;
  return (
    <TextField
      label="When"
      placeholder="Every weekday at 9"
      value={when}
      onChange={onChange}
      maxLength={300}
      autoComplete="off"
      error={problem}
      help={
        <span aria-live="polite" data-stale={isPlaceholderData || undefined}>
          {when.trim() !== '' && data
            ? `Understood as ${scheduleOf(data)}. Next: ${formatInstant(data.nextAt)}`
            : now
              ? `Current: ${now}. Leave empty to keep it.`
              : 'Such as “in 20 minutes” or “every monday and friday at 7:30 in Tokyo”.'}
        </span>
      }
    />
  );
}

function TargetFields(props: { draft: Draft; put: (changed: Partial<Draft>) => void; isMissing: boolean }) {
  const { draft, put, isMissing } = props;
  const { data: targets } = useTargets();
  const options = draft.target === 'hub' ? targets?.hubs : targets?.sessions;
  return (
    <div className="scheduled-pair">
      <Select
        label="Send to"
        options={TARGETS}
        value={draft.target}
        onChange={(target) => put({ target, targetId: '' })}
      />
      {draft.target !== 'inbox' && (
        <Select
          label={draft.target === 'hub' ? 'Hub' : 'Session'}
          options={options ?? []}
          value={draft.targetId || null}
          onChange={(targetId) => put({ targetId })}
          error={isMissing ? `Choose a ${draft.target === 'hub' ? 'hub' : 'session'}.` : null}
        />
      )}
    </div>
  );
}
