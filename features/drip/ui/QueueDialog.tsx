/** Creates a queue, or changes its name and cadence. */
import { useId, useState } from 'react';
import { Button, Dialog, NumberField, Select, TextField, WeekdayField } from '@shell/components';
import { DAYS, HERE, type Weekday } from '@shell/times';
import { useDripActions, type DripQueue } from './data';
import './drip.css';

const CADENCES = [
  { value: 'time', label: 'At a time of day' },
  { value: 'hours', label: 'Every few hours' },
] as const;

export function QueueDialog({ queue, onClose }: { queue: DripQueue | null; onClose: () => void }) {
  const [name, setName] = useState(queue?.name ?? '');
  const [cadence, setCadence] = useState<'time' | 'hours'>(queue && queue.everyHours !== null ? 'hours' : 'time');
  const [hours, setHours] = useState(queue?.everyHours ?? 24);
  const [time, setTime] = useState(queue?.at?.time.slice(0, 5) ?? '09:00');
  const [days, setDays] = useState<Weekday[]>(queue?.at?.days ?? DAYS.map(({ day }) => day));
  const [timeZone, setTimeZone] = useState(queue?.at?.timeZone ?? HERE);
  const [isTried, setTried] = useState(false);
  const [isPending, setPending] = useState(false);
  const { create, update } = useDripActions();
  const form = useId();
  const isMissing = name.trim() === '' || (cadence === 'time' && time === '');
  const save = async () => {
    setTried(true);
    if (isMissing || isPending) return;
    setPending(true);
    const body = {
      name: name.trim(),
      ...(cadence === 'hours' ? { everyHours: hours } : { time, days, timeZone }),
    };
    const isSaved = queue ? await update(queue.id, body) : await create(body);
    setPending(false);
    if (isSaved) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={queue ? `Edit ${queue.name}` : 'New queue'}
      size="medium"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isPending={isPending}>
            {queue ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="drip-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          maxLength={100}
          error={isTried && name.trim() === '' ? 'Enter a name.' : null}
        />
        <Select label="Releases an item" options={CADENCES} value={cadence} onChange={setCadence} />
        {cadence === 'hours' ? (
          <NumberField
            label="Hours between items"
            suffix="h"
            value={hours}
            onChange={setHours}
            minValue={1}
            maxValue={672}
            step={1}
          />
        ) : (
          <>
            <TextField
              label="Time"
              type="time"
              value={time}
              onChange={setTime}
              error={isTried && time === '' ? 'Enter a time.' : null}
            />
            <WeekdayField label="Days" value={days} onChange={setDays} />
            <TextField label="Time zone" value={timeZone} onChange={setTimeZone} />
          </>
        )}
      </form>
    </Dialog>
  );
}
