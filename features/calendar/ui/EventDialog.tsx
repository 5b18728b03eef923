/** Creates an event, changes one, or shows one that can't be changed, and answers invitations. */
import { useId, useState } from 'react';
import { Button, Checkbox, Dialog, NumberField, Select, Switch, TextField } from '@shell/components';
import { formatDateRange, formatDay, dayText } from '@shell/dates';
import { useSetting } from '@shell/settings';
import {
  bodyOf,
  changesOf,
  choiceOf,
  draftOf,
  faultsOf,
  isRepeatChanged,
  newDraft,
  repeatOf,
  weekdayOf,
  WEEKDAYS,
  withStart,
  type Draft,
  type Faults,
  type RepeatChoice,
} from './draft';
import type { CalendarActions } from './data';
import { eventEntry, timeRange, type NewEvent } from './model';
import type { AskScope } from './ScopeDialog';
import { HERE } from './time';
import type { Calendar, Frequency, Occurrence, Reply, Repeat } from './types';

interface EventDialogProps {
  /** An event, or what a new one begins with. */
  event: Occurrence | NewEvent;
  calendars: readonly Calendar[];
  actions: CalendarActions;
  ask: AskScope;
  onDelete: (event: Occurrence) => void;
  onClose: () => void;
}

const isStored = (event: Occurrence | NewEvent): event is Occurrence => 'eventId' in event;

export function EventDialog(props: EventDialogProps) {
  const { event, calendars, onClose, actions } = props;
  if (!isStored(event)) return <EventForm {...props} event={null} begin={event} />;
  const calendar = calendars.find(({ id }) => id === event.calendarId);
  if (calendar?.isWritable) return <EventForm {...props} event={event} begin={event} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={event.title || 'Untitled'}
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <EventDetails event={event} calendar={calendar} />
      <Invitation event={event} actions={actions} onAnswer={onClose} />
    </Dialog>
  );
}

function EventForm({
  event,
  begin,
  calendars,
  actions,
  ask,
  onDelete,
  onClose,
}: Omit<EventDialogProps, 'event'> & { event: Occurrence | null; begin: NewEvent }) {
  const writable = calendars.filter(({ isWritable }) => isWritable);
  const [first] = useState<Draft>(() =>
    event ? draftOf(event) : newDraft(begin, (writable.find(({ isShown }) => isShown) ?? writable[0])?.id ?? ''),
  );
  const [draft, setDraft] = useState(first);
  const [isTried, setTried] = useState(false);
  const [isPending, setPending] = useState(false);
  const form = useId();
  const faults: Faults = isTried ? faultsOf(draft) : {};
  const put = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const save = async () => {
    setTried(true);
    if (isPending || Object.keys(faultsOf(draft)).length > 0) return;
    let sent;
    if (event) {
      const changes = changesOf(first, draft);
      if (Object.keys(changes).length === 0) return onClose();
      // One event of a series has no rule and no calendar of its own.
      const isOfSeries = isRepeatChanged(first, draft) || changes.calendarId !== undefined;
      const answer = await ask(event, 'Save repeating event', isOfSeries ? ['following', 'all'] : undefined);
      if (!answer) return;
      setPending(true);
      sent = await actions.update(event, answer.scope, changes);
    } else {
      setPending(true);
      sent = await actions.create(bodyOf(draft));
    }
    setPending(false);
    if (sent) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={event ? 'Edit event' : 'New event'}
      size="medium"
      actions={
        <>
          {event && (
            <Button
              icon="trash"
              variant="plain"
              onPress={() => {
                onClose();
                onDelete(event);
              }}
            >
              Delete
            </Button>
          )}
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isPending={isPending}>
            {event ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      {event && <Invitation event={event} actions={actions} onAnswer={onClose} />}
      <form
        id={form}
        className="cal-form"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Title"
          value={draft.title}
          onChange={(title) => put({ title })}
          maxLength={500}
          autoFocus
          autoComplete="off"
          error={faults.title ?? null}
        />
        <TimeFields
          draft={draft}
          faults={faults}
          put={put}
          setDraft={setDraft}
          isUnknown={event?.zoneUnknown === true}
        />
        <RepeatFields draft={draft} put={put} />
        <div className="cal-pair">
          <Select
            label="Calendar"
            options={writable.map(({ id, name }) => ({ value: id, label: name }))}
            value={draft.calendarId || null}
            onChange={(calendarId) => put({ calendarId })}
            error={faults.calendarId ?? null}
          />
          <ReminderField draft={draft} put={put} />
        </div>
        <TextField
          label="Location"
          value={draft.location}
          onChange={(location) => put({ location })}
          maxLength={1000}
          autoComplete="off"
        />
        <TextField label="Notes" rows={3} value={draft.notes} onChange={(notes) => put({ notes })} />
      </form>
      {event && <EventLink url={event.url} />}
    </Dialog>
  );
}

type Put = (changed: Partial<Draft>) => void;

function TimeFields({
  draft,
  faults,
  put,
  setDraft,
  isUnknown,
}: {
  draft: Draft;
  faults: Faults;
  put: Put;
  setDraft: (draft: Draft) => void;
  isUnknown: boolean;
}) {
  const zones = useId();
  return (
    <>
      <Switch isSelected={draft.allDay} onChange={(allDay) => put({ allDay })}>
        All day
      </Switch>
      <div className="cal-pair">
        <TextField
          label="Start date"
          type="date"
          value={draft.startDate}
          onChange={(startDate) => setDraft(withStart(draft, { startDate }))}
          error={faults.start ?? null}
        />
        {!draft.allDay && (
          <TextField
            label="Start time"
            type="time"
            value={draft.startTime}
            onChange={(startTime) => setDraft(withStart(draft, { startTime }))}
          />
        )}
        <TextField
          label="End date"
          type="date"
          value={draft.endDate}
          onChange={(endDate) => put({ endDate })}
          error={faults.end ?? null}
        />
        {!draft.allDay && (
          <TextField label="End time" type="time" value={draft.endTime} onChange={(endTime) => put({ endTime })} />
        )}
      </div>
      {!draft.allDay && (
        <>
          <TextField
            label="Time zone"
            value={draft.timeZone}
            onChange={(timeZone) => put({ timeZone })}
            list={zones}
            error={faults.timeZone ?? null}
            help={
              isUnknown
                ? 'The calendar names a time zone that is unknown. Check the time, then choose the time zone.'
                : draft.timeZone === HERE.name
                  ? undefined
                  : `The calendar shows it in ${HERE.name}.`
            }
          />
          <datalist id={zones}>
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </>
  );
}

const FREQUENCIES: readonly { value: Frequency; label: string }[] = [
  { value: 'daily', label: 'Days' },
  { value: 'weekly', label: 'Weeks' },
  { value: 'monthly', label: 'Months' },
  { value: 'yearly', label: 'Years' },
];
const ENDS = [
  { value: 'never', label: 'Never' },
  { value: 'until', label: 'On a date' },
  { value: 'count', label: 'After a number of events' },
] as const;
const FIRST_COUNT = 10;

function RepeatFields({ draft, put }: { draft: Draft; put: Put }) {
  const { repeat, startDate } = draft;
  const [isCustom, setCustom] = useState(() => choiceOf(repeat, startDate) === 'custom');
  const found = choiceOf(repeat, startDate);
  const choice = isCustom && found !== 'none' && found !== 'other' ? 'custom' : found;
  const day = WEEKDAYS.find((one) => one.day === weekdayOf(startDate))?.label ?? '';
  // A rule that the form can't show is offered as long as it's the event's.
  const [other] = useState(repeat?.other ? repeat : null);
  const options: { value: RepeatChoice; label: string }[] = [
    { value: 'none', label: "Doesn't repeat" },
    ...(other?.other ? [{ value: 'other' as const, label: other.other }] : []),
    { value: 'daily', label: 'Every day' },
    { value: 'weekdays', label: 'Every weekday' },
    { value: 'weekly', label: `Every week on ${day}` },
    { value: 'monthly', label: 'Every month' },
    { value: 'yearly', label: 'Every year' },
    { value: 'custom', label: 'Custom' },
  ];
  const set = (changed: Partial<Repeat>) => repeat && put({ repeat: { ...repeat, ...changed } });
  const ends = repeat?.until ? 'until' : repeat?.count ? 'count' : 'never';
  const setEnds = (next: (typeof ENDS)[number]['value']) => {
    if (!repeat) return;
    const { count: _count, until: _until, ...rule } = repeat;
    put({
      repeat: {
        ...rule,
        ...(next === 'until' ? { until: draft.endDate } : next === 'count' ? { count: FIRST_COUNT } : {}),
      },
    });
  };
  return (
    <>
      <Select
        label="Repeat"
        options={options}
        value={choice}
        onChange={(next) => {
          setCustom(next === 'custom');
          put({ repeat: next === 'other' ? other : repeatOf(next, repeat?.other ? null : repeat) });
        }}
      />
      {repeat && choice === 'custom' && (
        <>
          <div className="cal-pair">
            <NumberField
              label="Every"
              value={repeat.interval}
              onChange={(interval) => Number.isInteger(interval) && set({ interval })}
              minValue={1}
              maxValue={999}
              step={1}
            />
            <Select
              label="Unit"
              options={FREQUENCIES}
              value={repeat.frequency}
              onChange={(frequency) => {
                const { days: _days, ...rule } = repeat;
                put({ repeat: { ...rule, frequency } });
              }}
            />
          </div>
          {repeat.frequency === 'weekly' && <RepeatDays repeat={repeat} startDate={startDate} set={set} />}
        </>
      )}
      {repeat && choice !== 'other' && (
        <div className="cal-pair">
          <Select label="Ends" options={ENDS} value={ends} onChange={setEnds} />
          {ends === 'until' && (
            <TextField
              label="Last date"
              type="date"
              value={repeat.until ?? ''}
              onChange={(until) => until !== '' && set({ until })}
            />
          )}
          {ends === 'count' && (
            <NumberField
              label="Events"
              value={repeat.count ?? FIRST_COUNT}
              onChange={(count) => Number.isInteger(count) && set({ count })}
              minValue={1}
              maxValue={999}
              step={1}
            />
          )}
        </div>
      )}
    </>
  );
}

function RepeatDays({
  repeat,
  startDate,
  set,
}: {
  repeat: Repeat;
  startDate: string;
  set: (changed: Partial<Repeat>) => void;
}) {
  const days = repeat.days?.length ? repeat.days : [weekdayOf(startDate)];
  return (
    <fieldset className="cal-days">
      <legend>On</legend>
      {WEEKDAYS.map(({ day, label, short }) => (
        <Checkbox
          key={day}
          aria-label={label}
          isSelected={days.includes(day)}
          onChange={(isSelected) => {
            const next = WEEKDAYS.map((one) => one.day).filter((one) =>
              one === day ? isSelected : days.includes(one),
            );
            if (next.length > 0) set({ days: next });
          }}
        >
          {short}
        </Checkbox>
      ))}
    </fieldset>
  );
}

/** Stands for the reminder of the settings: a `Select` has no null. */
const DEFAULT_REMINDER = -1;
const REMINDERS = [0, 5, 10, 15, 30, 60, 120, 1440, 2880];

const reminderLabel = (minutes: number) => {
  if (minutes === 0) return 'When it starts';
  const [amount, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'} before`;
};

function ReminderField({ draft: { reminderMinutes }, put }: { draft: Draft; put: Put }) {
  const usual = useSetting('calendarReminderMinutes');
  const all =
    reminderMinutes === null || REMINDERS.includes(reminderMinutes)
      ? REMINDERS
      : [...REMINDERS, reminderMinutes].sort((a, b) => a - b);
  return (
    <Select
      label="Reminder"
      options={[
        {
          value: DEFAULT_REMINDER,
          label: 'Default',
          description: usual === undefined ? undefined : reminderLabel(usual),
        },
        ...all.map((minutes) => ({ value: minutes, label: reminderLabel(minutes) })),
      ]}
      value={reminderMinutes ?? DEFAULT_REMINDER}
      onChange={(minutes) => put({ reminderMinutes: minutes === DEFAULT_REMINDER ? null : minutes })}
    />
  );
}

const REPLIES: readonly { reply: Reply; label: string }[] = [
  { reply: 'accepted', label: 'Accept' },
  { reply: 'declined', label: 'Decline' },
  { reply: 'tentative', label: 'Maybe' },
];
const RESPONSES = { accepted: 'accepted', declined: 'declined', tentative: 'maybe', needsAction: 'no answer' } as const;

/** The organizer, the attendees, and buttons to answer. */
function Invitation({
  event,
  actions,
  onAnswer,
}: {
  event: Occurrence;
  actions: CalendarActions;
  onAnswer: () => void;
}) {
  const { organizer, attendees, myResponse } = event;
  if (!organizer && attendees.length === 0 && myResponse === null) return null;
  return (
    <section className="cal-invitation" aria-label="Invitation">
      {organizer && <p>From {organizer}</p>}
      {attendees.length > 0 && (
        <ul className="cal-attendees" aria-label="Attendees">
          {attendees.map(({ name, email, response }) => (
            <li key={email}>
              {name || email}, {RESPONSES[response]}
            </li>
          ))}
        </ul>
      )}
      {myResponse !== null && (
        <div className="cal-replies" role="group" aria-label="Your answer">
          {REPLIES.map(({ reply, label }) => (
            <Button
              key={reply}
              variant={myResponse === reply ? 'primary' : 'secondary'}
              aria-pressed={myResponse === reply}
              onPress={() => {
                void actions.respond(event, reply);
                onAnswer();
              }}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
    </section>
  );
}

function EventDetails({ event, calendar }: { event: Occurrence; calendar: Calendar | undefined }) {
  const entry = eventEntry(event, calendar);
  const days =
    entry.first === entry.last
      ? formatDay(entry.first, { dateStyle: 'full' })
      : formatDateRange(dayText(entry.first), dayText(entry.last));
  return (
    <div className="cal-details">
      <p>{[days, timeRange(entry)].filter(Boolean).join(', ')}</p>
      {event.zoneUnknown && <p>The calendar names a time zone that is unknown. The time may be wrong.</p>}
      {event.location && <p>{event.location}</p>}
      {event.notes && <p className="cal-notes">{event.notes}</p>}
      <EventLink url={event.url} />
      <p className="cal-note">
        {calendar ? `${calendar.name} can't be changed here.` : "This event's calendar isn't loaded."}
      </p>
    </div>
  );
}

/** Only web addresses: a calendar of others could name any. */
function EventLink({ url }: { url: string | null }) {
  if (!url || !/^https?:\/\//i.test(url)) return null;
  return (
    <p className="cal-notes">
      <a href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
    </p>
  );
}
