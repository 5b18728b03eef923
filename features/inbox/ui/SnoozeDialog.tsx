/** Picks when a row comes back: a preset, or a time in words. */
import { useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Dialog, TextField } from '@shell/components';

/** Times in words, as the program reads them. */
const PRESETS = [
  { label: 'In 1 hour', text: 'in 1 hour' },
  { label: 'Later today', text: 'in 3 hours' },
  { label: 'This evening', text: 'today 6pm', untilHour: 17 },
  { label: 'Tomorrow', text: 'tomorrow 9am' },
  { label: 'This weekend', text: 'weekend' },
  { label: 'Next week', text: 'next week' },
];

interface Props {
  title: string;
  action: string;
  /** Rejects with the reason if the time can't be read. */
  onPick: (text: string) => Promise<void>;
  onClose: () => void;
  /** Removes the time that is set. */
  onClear?: (() => Promise<void>) | undefined;
}

export function SnoozeDialog({ title, action, onPick, onClose, onClear }: Props) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [isSent, setSent] = useState(false);
  const run = async (step: () => Promise<void>) => {
    if (isSent) return;
    setSent(true);
    try {
      await step();
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
      setSent(false);
    }
  };
  const submit = () => (text.trim() ? run(() => onPick(text.trim())) : setError('Enter a time.'));
  const hour = new Date().getHours();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      actions={
        <>
          {onClear && <Button onPress={() => void run(onClear)}>Cancel reminder</Button>}
          <Button variant="primary" isPending={isSent} onPress={() => void submit()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="inbox-presets" role="group" aria-label="Presets">
        {PRESETS.filter(({ untilHour = 24 }) => hour < untilHour).map(({ label, text: preset }) => (
          <Button key={label} onPress={() => void run(() => onPick(preset))}>
            {label}
          </Button>
        ))}
      </div>
      <TextField
        label="Time"
        value={text}
        onChange={(next) => {
          setText(next);
          setError(undefined);
        }}
        help="Such as: in 2 hours, tomorrow 9am, next monday"
        error={error}
        autoFocus
        maxLength={80}
        onInputKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          void submit();
        }}
      />
    </Dialog>
  );
}
