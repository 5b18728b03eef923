/** Creates an alarm, or changes one. */
import { useId, useState } from 'react';
import { Button, Checkbox, Dialog, Loading, NumberField, Select, Switch, TextField } from '@shell/components';
import { useSettings, type Settings } from '@shell/settings';
import { DAYS, HERE, nameOf, useAlarmActions, useSounds, type Alarm, type AlarmDay } from './data';

/** The form's values. */
interface Draft {
  label: string;
  time: string;
  date: string;
  days: AlarmDay[];
  timeZone: string;
  sound: string;
  soundDurationSeconds: number;
  soundFadeInSeconds: number;
  soundPlayMode: 'once' | 'loop';
  speakLabel: boolean;
  maxSnoozes: number;
  snoozeMinutes: number;
}

const SNOOZES = [5, 9, 15, 30].map((minutes) => ({ value: minutes, label: `${minutes} minutes` }));
const MODES = [
  { value: 'loop', label: 'Repeat' },
  { value: 'once', label: 'Play once' },
] as const;

export function AlarmDialog({ alarm, onClose }: { alarm: Alarm | null; onClose: () => void }) {
  const { data: settings } = useSettings();
  const title = alarm ? `Edit ${nameOf(alarm)}` : 'New alarm';
  if (settings)
    return <AlarmForm alarm={alarm} first={alarm ? draftOf(alarm) : newDraft(settings)} onClose={onClose} />;
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <Loading label="Loading defaults" />
    </Dialog>
  );
}

const draftOf = (alarm: Alarm): Draft => ({ ...alarm, date: alarm.date ?? '', time: alarm.time.slice(0, 5) });

/** A draft with the defaults of the settings. */
function newDraft({ settings }: Settings): Draft {
  const value = (key: string) => settings.find((setting) => setting.key === key)?.value;
  const number = (key: string) => Number(value(key));
  return {
    label: '',
    time: '',
    date: '',
    days: [],
    timeZone: HERE,
    sound: String(value('alarmsDefaultSound') ?? ''),
    soundDurationSeconds: number('alarmsDefaultSoundDurationSeconds'),
    soundFadeInSeconds: number('alarmsDefaultSoundFadeInSeconds'),
    soundPlayMode: value('alarmsDefaultSoundPlayMode') === 'once' ? 'once' : 'loop',
    speakLabel: value('alarmsDefaultSpeakLabel') === true,
    maxSnoozes: number('alarmsDefaultMaxSnoozes'),
    snoozeMinutes: number('alarmsDefaultSnoozeMinutes'),
  };
}

/** What is sent of a draft: days or a date, if it has one. */
function bodyOf({ date, ...rest }: Draft) {
  return date !== '' && rest.days.length === 0 ? { ...rest, date } : rest;
}

/** The fields that changed. A time zone or time keeps the date, unless that was cleared. */
function changesOf(first: Draft, draft: Draft) {
  const isChanged = (key: string) =>
    String(first[key as keyof Draft]) !== String(draft[key as keyof Draft]) ||
    (key === 'days' && first.date !== '' && draft.date === '');
  return Object.fromEntries(Object.entries(bodyOf(draft)).filter(([key]) => isChanged(key)));
}

function AlarmForm({ alarm, first, onClose }: { alarm: Alarm | null; first: Draft; onClose: () => void }) {
  const [draft, setDraft] = useState(first);
  const [isMissing, setMissing] = useState(false);
  const [isPending, setPending] = useState(false);
  const { create, update } = useAlarmActions();
  const form = useId();
  const put = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const save = async () => {
    if (!draft.time) return setMissing(true);
    setPending(true);
    const isSaved = alarm ? await update(alarm, changesOf(first, draft)) : await create(bodyOf(draft));
    setPending(false);
    if (isSaved) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={alarm ? `Edit ${nameOf(alarm)}` : 'New alarm'}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isPending={isPending}>
            {alarm ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="alarms-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label="Name" value={draft.label} onChange={(label) => put({ label })} maxLength={200} />
        <TimeFields draft={draft} put={put} isMissing={isMissing} />
        <SoundFields draft={draft} put={put} />
      </form>
    </Dialog>
  );
}

type Put = (changed: Partial<Draft>) => void;

function TimeFields({ draft, put, isMissing }: { draft: Draft; put: Put; isMissing: boolean }) {
  const zones = useId();
  const toggle = (day: AlarmDay, isSelected: boolean) =>
    put({ days: DAYS.map((one) => one.day).filter((one) => (one === day ? isSelected : draft.days.includes(one))) });
  return (
    <>
      <div className="alarms-pair">
        <TextField
          label="Time"
          type="time"
          value={draft.time}
          onChange={(time) => put({ time })}
          error={isMissing && !draft.time ? 'Enter a time.' : null}
        />
        <TextField
          label="Date"
          type="date"
          value={draft.date}
          onChange={(date) => put({ date })}
          isDisabled={draft.days.length > 0}
          help={draft.days.length > 0 ? 'Repeats on the selected days.' : 'Leave empty for the next occurrence.'}
        />
      </div>
      <fieldset className="alarms-days">
        <legend>Repeat on</legend>
        {DAYS.map(({ day, label, short }) => (
          <Checkbox
            key={day}
            aria-label={label}
            isSelected={draft.days.includes(day)}
            onChange={(isSelected) => toggle(day, isSelected)}
          >
            {short}
          </Checkbox>
        ))}
      </fieldset>
      <TextField label="Time zone" value={draft.timeZone} onChange={(timeZone) => put({ timeZone })} list={zones} />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

function SoundFields({ draft, put }: { draft: Draft; put: Put }) {
  const sounds = useId();
  const { data } = useSounds();
  return (
    <>
      <div className="alarms-pair">
        <TextField
          label="Sound"
          value={draft.sound}
          onChange={(sound) => put({ sound })}
          list={sounds}
          maxLength={200}
          help="A built-in sound, or the path of a WAV file."
        />
        <Select
          label="Playback"
          options={MODES}
          value={draft.soundPlayMode}
          onChange={(soundPlayMode) => put({ soundPlayMode })}
        />
        <NumberField
          label="Sound duration"
          suffix="s"
          value={draft.soundDurationSeconds}
          onChange={(soundDurationSeconds) => put({ soundDurationSeconds })}
          minValue={-1}
          maxValue={300}
          step={1}
          help="-1: until you answer. 0: no sound."
        />
        <NumberField
          label="Fade-in"
          suffix="s"
          value={draft.soundFadeInSeconds}
          onChange={(soundFadeInSeconds) => put({ soundFadeInSeconds })}
          minValue={0}
          maxValue={300}
          step={1}
        />
        <NumberField
          label="Maximum snoozes"
          value={draft.maxSnoozes}
          onChange={(maxSnoozes) => put({ maxSnoozes })}
          minValue={-1}
          maxValue={20}
          step={1}
          help="-1: no limit."
        />
        <Select
          label="Snooze length"
          options={SNOOZES}
          value={draft.snoozeMinutes}
          onChange={(snoozeMinutes) => put({ snoozeMinutes })}
        />
      </div>
      <datalist id={sounds}>
        {data?.map((sound) => (
          <option key={sound} value={sound} />
        ))}
      </datalist>
      <Switch isSelected={draft.speakLabel} onChange={(speakLabel) => put({ speakLabel })}>
        Read name aloud
      </Switch>
    </>
  );
}
