import { useState } from 'react';
import { Button, Dialog, EmptyState, ErrorState, Loading, SearchField, Select } from '@shell/components';
import { calledOf, folded, useMembers } from '@shell/members';
import { useInvite, useInvited, type Role } from './data';

const NONE = 'none';
const ROLES: { value: Role | typeof NONE; label: string; description: string }[] = [
  { value: 'viewer', label: 'Viewer', description: 'Can view the dashboard' },
  { value: 'editor', label: 'Editor', description: 'Can edit the dashboard' },
  { value: NONE, label: 'Not invited', description: 'No access once anyone is invited' },
];
/** From so many on they are searched. */
const SEARCHED_MIN = 8;

/** Chooses who sees a dashboard, and who changes it. What is chosen holds at once. */
export function InviteDialog({ dashboardId, onClose }: { dashboardId: string; onClose: () => void }) {
  const { data: members, error, refetch } = useMembers();
  const invited = useInvited(dashboardId);
  const invite = useInvite(dashboardId);
  const [search, setSearch] = useState('');
  const failure = error ?? invited.error;
  let body;
  if (failure && !(members && invited.data)) {
    body = (
      <ErrorState
        title="Couldn't load members"
        error={failure}
        onRetry={() => {
          void refetch();
          void invited.refetch();
        }}
      />
    );
  } else if (!members || !invited.data) body = <Loading label="Loading members" />;
  else if (members.length === 0 && invited.data.length === 0) {
    body = (
      <EmptyState icon="people" title="No members yet">
        Add people under Members, then invite them here.
      </EmptyState>
    );
  } else {
    const roles = new Map(invited.data.map(({ memberId, role }) => [memberId, role]));
    // Who left the directory stays in the list until the invitation is taken back.
    const ids = [...new Set([...roles.keys(), ...members.map(({ id }) => id)])];
    const people = ids
      .map((id) => ({ id, name: calledOf(id, members) }))
      .filter(({ name }) => folded(name).includes(folded(search)));
    body = (
      <>
        <p role="status">
          {roles.size === 0
            ? 'No one is invited, so every member can view and edit this dashboard.'
            : `${roles.size === 1 ? 'One member is' : `${roles.size} members are`} invited. Other members have no access. As the owner, you always have access.`}
        </p>
        {ids.length >= SEARCHED_MIN && (
          <SearchField
            aria-label="Find a member"
            placeholder="Find a member"
            value={search}
            onChange={setSearch}
            autoFocus
          />
        )}
        <ul className="connect-list" aria-label="Members">
          {people.map(({ id, name }) => (
            <li key={id} className="invite-row">
              <span className="connect-name">{name}</span>
              <Select
                aria-label={`Role of ${name}`}
                options={ROLES}
                value={roles.get(id) ?? NONE}
                onChange={(role) => void invite(id, name, role === NONE ? null : role)}
              />
            </li>
          ))}
        </ul>
        {people.length === 0 && <p className="connect-none">{`No member's name contains “${search.trim()}”.`}</p>}
      </>
    );
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Invite to this dashboard"
      size="medium"
      actions={<Button onPress={onClose}>Close</Button>}
    >
      {body}
    </Dialog>
  );
}
