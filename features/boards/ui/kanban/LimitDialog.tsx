import { useRef, useState } from 'react';
import { Button, Dialog, NumberField } from '@shell/components';
import type { Stack } from './stacks';

interface LimitDialogProps {
  stack: Stack;
  limit: number | undefined;
  onClose: () => void;
  onSave: (limit: number | null) => void;
}

/** Asks how many items a stack should hold at most. */
export function LimitDialog({ stack, limit, onClose, onSave }: LimitDialogProps) {
  const [value, setValue] = useState(limit ?? Number.NaN);
  const [isUnread, setUnread] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const save = (next: number | null) => {
    onSave(next);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Limit for ${stack.name}`}
      actions={
        <>
          {limit !== undefined && <Button onPress={() => save(null)}>Remove limit</Button>}
          <Button onPress={onClose}>Cancel</Button>
          <Button
            variant="primary"
            isDisabled={Number.isNaN(value)}
            onPress={() => (isUnread ? field.current?.focus() : save(value))}
          >
            Set limit
          </Button>
        </>
      }
    >
      <NumberField
        label="Maximum items"
        help="Warns when exceeded."
        value={value}
        onChange={setValue}
        onUnread={setUnread}
        onEnter={() => save(value)}
        inputRef={field}
        minValue={1}
        maxValue={1_000_000}
        step={1}
        autoFocus
      />
    </Dialog>
  );
}
