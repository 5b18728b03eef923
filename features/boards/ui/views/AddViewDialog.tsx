import { useState } from 'react';
import { Radio, RadioGroup } from 'react-aria-components';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, Icon, TextField } from '@shell/components';
import type { Column } from '../data';
import { VIEW_KINDS, type ViewKind, type ViewSettings } from './data';
import { firstSettings } from './columns';

interface AddViewDialogProps {
  columns: readonly Column[];
  onClose: () => void;
  onAdd: (name: string, kind: ViewKind, settings: ViewSettings) => Promise<void>;
}

/** Asks for a new view's kind and name; other settings are derived from the board. */
export function AddViewDialog({ columns, onClose, onAdd }: AddViewDialogProps) {
  const [kind, setKind] = useState<ViewKind>('kanban');
  const [name, setName] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const shown = name ?? VIEW_KINDS[kind].label;
  const save = async () => {
    try {
      await onAdd(shown.trim(), kind, firstSettings(kind, columns));
      onClose();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.reasonAt('/name') : reasonOf(failure));
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add a view"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" onPress={() => void save()}>
            Add view
          </Button>
        </>
      }
    >
      <RadioGroup
        className="view-kinds"
        aria-label="Kind of view"
        value={kind}
        onChange={(value) => setKind(value as ViewKind)}
      >
        {Object.entries(VIEW_KINDS).map(([value, { label, icon, detail }]) => (
          <Radio key={value} value={value} className="view-kind">
            <Icon name={icon} />
            <span>
              <span className="view-kind-name">{label}</span>
              <span className="view-kind-detail">{detail}</span>
            </span>
          </Radio>
        ))}
      </RadioGroup>
      <TextField
        label="Name"
        value={shown}
        onChange={setName}
        error={error}
        onInputKeyDown={(event) => event.key === 'Enter' && void save()}
      />
    </Dialog>
  );
}
