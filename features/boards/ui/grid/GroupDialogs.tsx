/** Dialogs of a table's groups: name and color, and deletion. */
import { useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Dialog, Select, TextField } from '@shell/components';
import { PALETTE } from '@shell/gen/limits';
import type { Group } from '../data';
import { counted } from '../format';
import type { BoardTable } from '../table';
import { heldIn, offerUndo } from '../offers';
import { boxOf } from '../outbox/box';
import { groups as requests, itemsOf, placeOf, type GroupAsk } from './groups';

interface GroupDialogsProps {
  asked: GroupAsk | null;
  table: BoardTable;
  onClose: () => void;
}

export function GroupDialogs({ asked, table, onClose }: GroupDialogsProps) {
  if (asked?.what === 'delete' && asked.group)
    return <DeleteGroup group={asked.group} table={table} onClose={onClose} />;
  if (asked?.what === 'add' || asked?.what === 'edit')
    return <GroupForm group={asked.what === 'edit' ? asked.group : undefined} table={table} onClose={onClose} />;
  return null;
}

function GroupForm({ group, table, onClose }: { group: Group | undefined; table: BoardTable; onClose: () => void }) {
  const { board, groups } = table.meta;
  const first = group?.color ?? PALETTE[groups.length % PALETTE.length]!;
  const [name, setName] = useState(group?.name ?? '');
  const [color, setColor] = useState(first);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    const called = name.trim();
    if (called === '') return setError('Enter a name.');
    if (isBusy) return;
    const [renamed, recolored] = [called !== group?.name, color !== first];
    // Nothing to save is nothing to take back.
    if (group && !renamed && !recolored) return onClose();
    setBusy(true);
    try {
      // Only what changes is sent, with what it was: the rest may have been changed by others meanwhile.
      if (group) {
        const was = { ...(renamed ? { name: group.name } : {}), ...(recolored ? { color: group.color } : {}) };
        await requests.update(board.id, group.id, {
          ...(renamed ? { name: called } : {}),
          ...(recolored ? { color } : {}),
          was,
        });
      } else await requests.create(board.id, called, color);
      onClose();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.reasonAt('/name') : reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={group ? `Change ${group.name}` : 'Add a group'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            {group ? 'Save group' : 'Add group'}
          </Button>
        </>
      }
    >
      <div className="group-form">
        <TextField
          label="Name"
          value={name}
          onChange={(next) => {
            setName(next);
            setError(null);
          }}
          error={error}
          autoFocus
          onInputKeyDown={(event) => event.key === 'Enter' && void save()}
        />
        <label className="group-color">
          <span className="field-label">Color</span>
          <input type="color" value={color} onChange={(event) => setColor(event.target.value)} />
        </label>
      </div>
    </Dialog>
  );
}

const ALONG = '';

function DeleteGroup({ group, table, onClose }: { group: Group; table: BoardTable; onClose: () => void }) {
  const { board, groups } = table.meta;
  const items = itemsOf(table, group.id);
  const { at, isFirst } = placeOf(groups, group.id);
  const others = groups.filter((one) => one.id !== group.id);
  const neighbor = groups[isFirst ? at + 1 : at - 1];
  const [to, setTo] = useState(neighbor?.id ?? ALONG);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const options = [
    ...others.map((one) => ({ value: one.id, label: `Move to ${one.name}` })),
    { value: ALONG, label: 'Delete with the group' },
  ];
  const remove = async () => {
    if (isBusy) return;
    setBusy(true);
    const moveTo = items.length === 0 || to === ALONG ? null : to;
    try {
      const { boardRevision: revision, made } = await requests.remove(board.id, group.id, moveTo);
      onClose();
      const moved = moveTo === null ? [] : items;
      const left = (now: BoardTable) => [
        now.meta.groups.some(({ id }) => id === group.id),
        moved.map((item) => heldIn(now, item, 'groupId')),
      ];
      offerUndo(`Deleted ${group.name}`, { board: board.id, revision, left }, () => boxOf(board.id).takeBack(made));
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Delete ${group.name}`}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="danger" isPending={isBusy} onPress={() => void remove()}>
            Delete group
          </Button>
        </>
      }
    >
      {items.length > 0 ? (
        <div className="group-form">
          <p>{`The group has ${counted(items.length)}. Deleted items stay in Trash for 30 days.`}</p>
          <Select label="Items in this group" options={options} value={to} onChange={setTo} error={error} />
        </div>
      ) : (
        <>
          <p>The group has no items. You can restore it for 30 days.</p>
          {error && (
            <p role="alert" className="field-error">
              {error}
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}
