/** Adds a person, or changes one. */
import { useId, useState } from 'react';
import { Button, Checkbox, Dialog, TextField } from '@shell/components';
import { DAYS, usePersonActions, type TeamPerson } from './data';

const NOBODY = {
  name: '',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  start: '09:00',
  end: '17:00',
};

export function PersonDialog({ person, onClose }: { person: TeamPerson | null; onClose: () => void }) {
  const [draft, setDraft] = useState(person ?? NOBODY);
  const [hasTried, setTried] = useState(false);
  const [isPending, setPending] = useState(false);
  const { create, update } = usePersonActions();
  const [form, zones] = [useId(), useId()];
  const put = (changed: Partial<typeof NOBODY>) => setDraft((before) => ({ ...before, ...changed }));
  const isMember = person?.isMember === true;
  const { name, timeZone, days, start, end } = draft;
  const isComplete = name.trim() !== '' && timeZone.trim() !== '' && start !== '' && end !== '';
  const save = async () => {
    setTried(true);
    if (!isComplete) return;
    setPending(true);
    const hours = { days: [...days], start, end };
    const whole = { name: name.trim(), timeZone: timeZone.trim(), ...hours };
    const isSaved = person ? await update(person, isMember ? hours : whole) : await create(whole);
    setPending(false);
    if (isSaved) onClose();
  };
  const missing = (value: string, error: string) => (hasTried && value.trim() === '' ? error : null);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={person ? `Edit ${person.name}` : 'Add a person'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isPending={isPending}>
            {person ? 'Save' : 'Add'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="team-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {isMember ? (
          <p className="team-note">Name and time zone are changed on the Members page.</p>
        ) : (
          <>
            <TextField
              label="Name"
              value={name}
              onChange={(changed) => put({ name: changed })}
              maxLength={100}
              error={missing(name, 'Enter a name.')}
              autoFocus
            />
            <TextField
              label="Time zone"
              value={timeZone}
              onChange={(changed) => put({ timeZone: changed })}
              list={zones}
              error={missing(timeZone, 'Enter a time zone such as Europe/Berlin.')}
            />
            <datalist id={zones}>
              {Intl.supportedValuesOf('timeZone').map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
        <fieldset className="team-days">
          <legend>Working days</legend>
          {DAYS.map(({ day, label, short }) => (
            <Checkbox
              key={day}
              aria-label={label}
              isSelected={days.includes(day)}
              onChange={(isSelected) =>
                put({
                  days: DAYS.map((one) => one.day).filter((one) => (one === day ? isSelected : days.includes(one))),
                })
              }
            >
              {short}
            </Checkbox>
          ))}
        </fieldset>
        <div className="team-pair">
          <TextField
            label="Starts"
            type="time"
            value={start}
            onChange={(changed) => put({ start: changed })}
            error={missing(start, 'Enter a time.')}
          />
          <TextField
            label="Ends"
            type="time"
            value={end}
            onChange={(changed) => put({ end: changed })}
            error={missing(end, 'Enter a time.')}
            help={end <= start ? 'On the next day.' : undefined}
          />
        </div>
      </form>
    </Dialog>
  );
}
