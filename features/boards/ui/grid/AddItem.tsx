import { useImperativeHandle, useRef, useState, type Ref } from 'react';
import { Button, Select } from '@shell/components';
import type { Group } from '../data';
import { steady } from '@shell/steady';
import type { GroupAsk } from './groups';

/** Takes the focus to the line, for a group. */
export interface AddItemHandle {
  to: (group: string) => void;
}

interface AddItemProps {
  groups: readonly Group[];
  onAdd: (name: string, group: string | undefined) => void;
  onAsk: (asked: GroupAsk) => void;
  ref?: Ref<AddItemHandle>;
}

/** The line below a table that adds an item to the chosen group, or adds a group. */
export const AddItem = steady(function AddItem({ groups, onAdd, onAsk, ref }: AddItemProps) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  // The chosen group may have been deleted meanwhile.
  const group = groups.find((one) => one.id === chosen) ?? groups[0];
  useImperativeHandle(ref, () => ({
    to: (id) => {
      setChosen(id);
      input.current?.focus();
    },
  }));
  const label = groups.length > 1 && group ? `Add an item to ${group.name}` : 'Add an item';
  return (
    <div className="grid-foot-bar">
      <form
        className="grid-add"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') return;
          onAdd(name.trim(), group?.id);
          setName('');
        }}
      >
        <input
          className="grid-add-input"
          aria-label="Add an item"
          placeholder={label}
          ref={input}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </form>
      {groups.length > 1 && group && (
        <Select
          aria-label="Group of a new item"
          options={groups.map((one) => ({ value: one.id, label: one.name }))}
          value={group.id}
          onChange={setChosen}
        />
      )}
      <Button icon="plus" onPress={() => onAsk({ what: 'add' })}>
        Add group
      </Button>
    </div>
  );
});
