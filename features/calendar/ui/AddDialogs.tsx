/** Dialogs that add calendars: local ones, accounts, subscriptions, and files. */
import { useId, useRef, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, TextField, toast } from '@shell/components';
import { COLORS } from '@shell/gen/looks';
import { CALENDAR } from './api';
import { createAccount, importFile, subscribe, type CalendarActions, type Imported } from './data';
import type { Calendar } from './types';

/** A form in a dialog. Its problems stay in it, so that nothing has to be typed again. */
function FormDialog({
  title,
  action,
  isValid,
  problem,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  action: string;
  isValid: boolean;
  /** Why it failed, of the whole form. */
  problem: string | null;
  /** Closes the dialog if it resolves to true. */
  onSubmit: () => Promise<boolean>;
  onClose: () => void;
  children: ReactNode;
}) {
  const form = useId();
  const [isPending, setPending] = useState(false);
  const submit = async () => {
    if (!isValid || isPending) return;
    setPending(true);
    const isDone = await onSubmit();
    setPending(false);
    if (isDone) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isDisabled={!isValid} isPending={isPending}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="cal-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children}
        {problem && (
          <p className="cal-form-problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** Sends a form and keeps why it failed. */
function useSending() {
  const cache = useQueryClient();
  const [failure, setFailure] = useState<unknown>(null);
  const send = async (sending: Promise<unknown>): Promise<boolean> => {
    setFailure(null);
    try {
      await sending;
      await cache.invalidateQueries({ queryKey: CALENDAR });
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    }
  };
  const fields = failure instanceof ApiError ? failure.errors : [];
  return {
    send,
    /** Why a field is invalid. */
    at: (pointer: string) => fields.find((field) => field.pointer === pointer)?.detail ?? null,
    /** Why the whole form failed. */
    problem: failure === null || fields.length > 0 ? null : reasonOf(failure),
  };
}

function ColorField({ value, onChange }: { value: string; onChange: (color: string) => void }) {
  const name = useId();
  const colors: readonly string[] = (COLORS as readonly string[]).includes(value) ? COLORS : [value, ...COLORS];
  return (
    <fieldset className="cal-colors">
      <legend>Color</legend>
      {colors.map((color, at) => (
        <input
          key={color}
          type="radio"
          name={name}
          aria-label={`Color ${at + 1}`}
          checked={value === color}
          onChange={() => onChange(color)}
          style={{ background: color }}
        />
      ))}
    </fieldset>
  );
}

/** Creates a local calendar, or changes the name and color of any. */
export function CalendarDialog({
  calendar,
  actions,
  onClose,
}: {
  calendar: Calendar | null;
  actions: CalendarActions;
  onClose: () => void;
}) {
  const [name, setName] = useState(calendar?.name ?? '');
  const [color, setColor] = useState<string>(calendar?.color ?? COLORS[0]);
  const body = { name: name.trim(), color };
  return (
    <FormDialog
      title={calendar ? `Edit ${calendar.name}` : 'New calendar'}
      action={calendar ? 'Save' : 'Create'}
      isValid={body.name !== ''}
      problem={null}
      onSubmit={async () =>
        (await (calendar ? actions.updateCalendar(calendar, body) : actions.createCalendar(body))) !== null
      }
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={200} autoFocus autoComplete="off" />
      <ColorField value={color} onChange={setColor} />
    </FormDialog>
  );
}

export function AccountDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const { send, at, problem } = useSending();
  return (
    <FormDialog
      title="Add CalDAV account"
      action="Add account"
      isValid={url.trim() !== '' && username.trim() !== '' && password !== ''}
      problem={problem}
      onSubmit={() => send(createAccount({ url: url.trim(), username: username.trim(), password }))}
      onClose={onClose}
    >
      <TextField
        label="Server address"
        type="url"
        value={url}
        onChange={setUrl}
        placeholder="https://caldav.example.com"
        autoFocus
        error={at('/url')}
      />
      <TextField label="User name" value={username} onChange={setUsername} autoComplete="off" error={at('/username')} />
      <TextField
        label="App password"
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="off"
        help="Create one in your provider's security settings. Your account password may not work."
        error={at('/password')}
      />
    </FormDialog>
  );
}

export function SubscribeDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [color, setColor] = useState<string>(COLORS[2]);
  const { send, at, problem } = useSending();
  return (
    <FormDialog
      title="Subscribe to calendar"
      action="Subscribe"
      isValid={url.trim() !== ''}
      problem={problem}
      onSubmit={() => send(subscribe({ url: url.trim(), color, ...(name.trim() === '' ? {} : { name: name.trim() }) }))}
      onClose={onClose}
    >
      <TextField
        label="Address"
        value={url}
        onChange={setUrl}
        placeholder="https://example.com/holidays.ics"
        autoFocus
        autoComplete="off"
        error={at('/url')}
      />
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        maxLength={200}
        autoComplete="off"
        help="If empty, the calendar's own name."
        error={at('/name')}
      />
      <ColorField value={color} onChange={setColor} />
    </FormDialog>
  );
}

/** Imports an .ics file, and lists what was skipped. */
export function ImportDialog({ calendar, onClose }: { calendar: Calendar; onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [result, setResult] = useState<Imported | null>(null);
  const { send, at, problem } = useSending();
  const input = useRef<HTMLInputElement>(null);
  const start = async () => {
    if (!file) return false;
    let imported: Imported | null = null;
    const isSent = await send(
      file.text().then(async (text) => {
        imported = await importFile(calendar.id, text);
      }),
    );
    const done = imported as Imported | null;
    if (!isSent || !done) return false;
    if (done.skipped.length > 0) {
      setResult(done);
      return false;
    }
    toast.done(`${done.imported} imported, ${done.updated} updated`);
    return true;
  };
  if (result)
    return (
      <Dialog isOpen onClose={onClose} title="Import finished" actions={<Button onPress={onClose}>Close</Button>}>
        <p>{`${result.imported} imported, ${result.updated} updated, ${result.skipped.length} skipped:`}</p>
        <ul className="cal-skipped">
          {result.skipped.map(({ title, reason }, line) => (
            <li key={line}>{`${title || 'Untitled'}: ${reason}`}</li>
          ))}
        </ul>
      </Dialog>
    );
  return (
    <FormDialog
      title={`Import into ${calendar.name}`}
      action="Import"
      isValid={file !== null}
      problem={at('/text') ?? problem}
      onSubmit={start}
      onClose={onClose}
    >
      <input
        ref={input}
        className="cal-file"
        type="file"
        accept=".ics,text/calendar"
        aria-label="File to import"
        tabIndex={-1}
        onChange={(event) => setFile(event.target.files?.[0] ?? null)}
      />
      <div className="cal-file-row">
        <Button icon="upload" onPress={() => input.current?.click()}>
          Choose a file
        </Button>
        <span>{file ? file.name : 'An .ics file'}</span>
      </div>
    </FormDialog>
  );
}
