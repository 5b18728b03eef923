/** The people of the account: find, add, change and remove them. */
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import {
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorState,
  Icon,
  IconButton,
  Loading,
  Page,
  SearchField,
  toast,
} from '@shell/components';
import { found, useMemberChanges, useMembers, type Member } from './data';
import { MemberDialog } from './MemberDialog';
import './members.css';

export default function MembersPage() {
  const { data: members, error, refetch } = useMembers();
  const { remove } = useMemberChanges();
  const [, navigate] = useLocation();
  const adds = new URLSearchParams(useSearch()).has('add');
  const [changing, setChanging] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const [search, setSearch] = useState('');
  const add = (
    <Button variant="primary" icon="plus" onPress={() => navigate('/members?add')}>
      Add member
    </Button>
  );
  const shown = found(members ?? [], search);
  return (
    <Page
      title="Members"
      detail={
        members &&
        members.length > 0 &&
        (members.length === 1 ? '1 member' : `${members.length.toLocaleString()} members`)
      }
      actions={!!members?.length && add}
    >
      {error && !members ? (
        <ErrorState title="Couldn't load members" error={error} onRetry={() => void refetch()} />
      ) : !members ? (
        <Loading label="Loading members" />
      ) : members.length === 0 ? (
        <EmptyState icon="people" title="No members yet" action={add}>
          Add members to assign items and mention them in comments.
        </EmptyState>
      ) : (
        <div className="members">
          <SearchField aria-label="Search members" placeholder="Search" value={search} onChange={setSearch} />
          {shown.length === 0 ? (
            <EmptyState
              icon="search"
              title="No matching members"
              action={<Button onPress={() => setSearch('')}>Show all members</Button>}
            >
              {`No name, email, or role contains "${search.trim()}".`}
            </EmptyState>
          ) : (
            <ul className="members-list">
              {shown.map((member) => (
                <li key={member.id} className="member">
                  <Icon name="people" />
                  <span className="member-name">
                    {member.name} {member.you && <Badge>You</Badge>}
                  </span>
                  <span className="member-detail">
                    {[member.email, member.role, member.timeZone].filter(Boolean).join(' · ')}
                  </span>
                  <IconButton icon="edit" label={`Change ${member.name}`} onPress={() => setChanging(member)} />
                  <IconButton icon="trash" label={`Remove ${member.name}`} onPress={() => setRemoving(member)} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {adds && <MemberDialog onClose={() => navigate('/members', { replace: true })} />}
      {changing && <MemberDialog key={changing.id} member={changing} onClose={() => setChanging(null)} />}
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing?.name ?? ''}`}
        action="Remove member"
        onConfirm={() => {
          if (!removing) return;
          remove(removing.id).then(
            () => toast.done(`Removed ${removing.name}`),
            (failure: unknown) => toast.problem("Couldn't remove member", failure),
          );
        }}
      >
        This member is signed out permanently, and people columns no longer show the name. This can't be undone.
      </ConfirmDialog>
    </Page>
  );
}
