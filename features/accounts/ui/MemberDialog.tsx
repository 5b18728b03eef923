import { useId, useState } from 'react';
import { ApiError, reasonOf } from '@shell/api';
import { Button, Checkbox, Dialog, TextField } from '@shell/components';
import { changedParts, useMemberChanges, type Member, type MemberEntry } from './data';

interface MemberDialogProps {
  /** The member to change; a new one where left out. */
  member?: Member | undefined;
  onClose: () => void;
}

const PARTS = ['name', 'email', 'role', 'timeZone'] as const;
const NOBODY: MemberEntry = { name: '', email: '', role: '', timeZone: '' };

/** Adds a member, or changes one. */
export function MemberDialog({ member, onClose }: MemberDialogProps) {
  const zones = useId();
  const { add, update } = useMemberChanges();
  const [entry, setEntry] = useState<MemberEntry>(
    member ? { name: member.name, email: member.email, role: member.role, timeZone: member.timeZone } : NOBODY,
  );
  const [errors, setErrors] = useState<Partial<Record<keyof MemberEntry | 'other', string>>>({});
  const [isBusy, setBusy] = useState(false);
  const [you, setYou] = useState(member?.you ?? false);
  const put = (part: keyof MemberEntry) => (text: string) => {
    setErrors({});
    setEntry({ ...entry, [part]: text });
  };
  const save = async () => {
    if (isBusy) return;
    const next: MemberEntry = {
      name: entry.name.trim(),
      email: entry.email.trim(),
      role: entry.role.trim(),
      timeZone: entry.timeZone.trim(),
    };
    if (next.name === '') return setErrors({ name: 'Enter a name.' });
    setBusy(true);
    try {
      if (member) await update(member.id, { ...changedParts(member, next), ...(you === member.you ? {} : { you }) });
      else await add(next);
      onClose();
    } catch (failure) {
      const part =
        failure instanceof ApiError
          ? PARTS.find((one) => failure.errors.some(({ pointer }) => pointer === `/${one}`))
          : undefined;
      setErrors(
        part && failure instanceof ApiError ? { [part]: failure.reasonAt(`/${part}`) } : { other: reasonOf(failure) },
      );
      setBusy(false);
    }
  };
  const field = (part: keyof MemberEntry) => ({
    value: entry[part],
    onChange: put(part),
    error: errors[part],
    onInputKeyDown: (event: { key: string }) => {
      if (event.key === 'Enter') void save();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={member ? `Change ${member.name}` : 'Add a member'}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" isPending={isBusy} onPress={() => void save()}>
            {member ? 'Save member' : 'Add member'}
          </Button>
        </>
      }
    >
      <div className="member-form">
        <TextField label="Name" {...field('name')} autoFocus />
        <TextField label="Email" help="Matches people in imported files." {...field('email')} />
        <TextField label="Role" help="Such as designer." {...field('role')} />
        <TextField
          label="Time zone"
          help='Used for relative dates, such as "today".'
          placeholder="System default"
          list={zones}
          {...field('timeZone')}
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {member && (
          <div>
            <Checkbox isSelected={you} onChange={setYou}>
              This is me
            </Checkbox>
            <p className="field-help">The inbox tells you of this member's assignments, mentions, and due dates.</p>
          </div>
        )}
        {errors.other && (
          <p role="alert" className="field-error">
            {errors.other}
          </p>
        )}
      </div>
    </Dialog>
  );
}
