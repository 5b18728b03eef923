/** Picks a day for tasks: a preset, or words. */
import { useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Dialog, TextField } from '@shell/components';

const SNOOZE = [
  { label: 'In 1 hour', text: 'in 1 hour' },
  { label: 'Later today', text: 'in 3 hours' },
  { label: 'Tomorrow', text: 'tomorrow' },
  { label: 'This weekend', text: 'weekend' },
  { label: 'Next week', text: 'next week' },
];
const DUE = [
  { label: 'Today', text: 'today' },
  { label: 'Tomorrow', text: 'tomorrow' },
  { label: 'This weekend', text: 'weekend' },
  { label: 'Next week', text: 'next week' },
];

interface Props {
  what: 'due' | 'snoozedUntil';
  /** Rejects with the reason if the day can't be read. */
  onPick: (text: string) => Promise<void>;
  onClose: () => void;
  canClear: boolean;
}

export function DayDialog({ what, onPick, onClose, canClear }: Props) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [isSent, setSent] = useState(false);
  const isDue = what === 'due';
  const run = async (words: string) => {
    if (isSent) return;
    setSent(true);
    try {
      await onPick(words);
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
      setSent(false);
    }
  };
  const submit = () => (text.trim() ? run(text.trim()) : setError('Enter a day.'));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isDue ? 'Due date' : 'Snooze task'}
      actions={
        <>
          {canClear && <Button onPress={() => void run('')}>{isDue ? 'Remove due date' : 'End snooze'}</Button>}
          <Button variant="primary" isPending={isSent} onPress={() => void submit()}>
            {isDue ? 'Set due date' : 'Snooze'}
          </Button>
        </>
      }
    >
      <div className="tasks-presets" role="group" aria-label="Presets">
        {(isDue ? DUE : SNOOZE).map(({ label, text: preset }) => (
          <Button key={label} onPress={() => void run(preset)}>
            {label}
          </Button>
        ))}
      </div>
      <TextField
        label="Day"
        value={text}
        onChange={(next) => {
          setText(next);
          setError(undefined);
        }}
        help="Such as: tomorrow 9, friday 5pm, in 2 weeks"
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
