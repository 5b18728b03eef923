/** Focus Mode in the toolbar: a button, and the remaining time while it's on. */
import { useState } from 'react';
import { Button as AriaButton, Dialog as AriaDialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button, Icon, Select, Tooltip } from '@shell/components';
import { useNow } from '@shell/dates';
import { useSetting } from '@shell/settings';
import { useFocusActions, useFocusMode, type FocusMode, type Through } from './data';
import './focus.css';

const THROUGH: { value: Through; label: string }[] = [
  { value: 'nothing', label: 'Nothing' },
  { value: 'critical', label: 'Critical alerts' },
  { value: 'needsYou', label: 'Critical alerts and sessions that need you' },
];
const PRESETS = [25, 50, 90];

export function FocusButton() {
  const isOffered = useSetting('focusModeFeatureEnabled');
  const { data: focus } = useFocusMode();
  const [isOpen, setOpen] = useState(false);
  if (!isOffered || !focus) return null;
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Tooltip text={focus.active ? `Focus Mode is on, ${held(focus)}` : 'Focus Mode'}>
        <AriaButton className="focus-button" data-active={focus.active || undefined} aria-label="Focus Mode">
          <Icon name={focus.active ? 'bellOff' : 'bell'} />
          {focus.active && <Remaining focus={focus} />}
        </AriaButton>
      </Tooltip>
      <Popover className="popover" placement="bottom end" offset={4}>
        <AriaDialog className="focus-dialog" aria-label="Focus Mode">
          <FocusForm focus={focus} onDone={() => setOpen(false)} />
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  );
}

const held = ({ held: count }: FocusMode) => (count === 1 ? '1 notification held' : `${count} notifications held`);

/** Minutes and seconds until the end; nothing if there is none. */
function Remaining({ focus }: { focus: FocusMode }) {
  const now = useNow(1_000);
  if (!focus.endsAt) return <span>On</span>;
  const seconds = Math.max(0, Math.round((Date.parse(focus.endsAt) - now) / 1_000));
  return (
    <span role="timer" className="focus-time">
      {`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}
    </span>
  );
}

function FocusForm({ focus, onDone }: { focus: FocusMode; onDone: () => void }) {
  const { start, end } = useFocusActions();
  const [through, setThrough] = useState<Through>(focus.through);
  const begin = (minutes?: number) => {
    start.mutate({ through, ...(minutes === undefined ? {} : { minutes }) });
    onDone();
  };
  return (
    <>
      <p className="focus-text">
        {focus.active
          ? `${held(focus)[0]?.toUpperCase()}${held(focus).slice(1)}. You see them together at the end.`
          : 'Holds notifications and shows them together at the end. Overdue items always notify.'}
      </p>
      <Select<Through> label="Let through" value={through} onChange={setThrough} options={THROUGH} />
      <div className="focus-presets" role="group" aria-label={focus.active ? 'Change end time' : 'Start'}>
        {PRESETS.map((minutes) => (
          <Button key={minutes} onPress={() => begin(minutes)}>{`${minutes} min`}</Button>
        ))}
        <Button onPress={() => begin()}>Until I end it</Button>
      </div>
      {focus.active && (
        <Button
          variant="primary"
          onPress={() => {
            end.mutate();
            onDone();
          }}
        >
          End Focus Mode
        </Button>
      )}
    </>
  );
}
