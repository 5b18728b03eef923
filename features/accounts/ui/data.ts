/** The member directory: shapes, the query, and the requests that change it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';

/** A member of the directory. */
export type Member = Schemas['Member'];

/** What a person says of a member; empty where unknown. */
export type MemberEntry = Omit<Member, 'id' | 'createdAt' | 'you'>;

/** What boards read as well, so that a new member can be chosen there at once. */
const MEMBERS_QUERY = 'members';

/** The member directory, by name. */
export const useMembers = () =>
  useQuery({
    queryKey: [MEMBERS_QUERY],
    queryFn: ({ signal }) => client.get('/members', { signal }).then((list) => list.items),
  });

/** Changes of the directory; what shows members is read again after each. */
export function useMemberChanges() {
  const cache = useQueryClient();
  const then = async (request: Promise<unknown>) => {
    await request;
    await cache.invalidateQueries({ queryKey: [MEMBERS_QUERY] });
  };
  return {
    add: (entry: MemberEntry) => then(client.post('/members', { body: entry })),
    /** Sends what changed and nothing else. */
    update: (id: string, changed: Partial<MemberEntry & Pick<Member, 'you'>>) =>
      then(client.patch('/members/{memberId}', { path: { memberId: id }, body: changed })),
    remove: (id: string) => then(client.delete('/members/{memberId}', { path: { memberId: id } })),
  };
}

/** Members with all the words in their name, address or role. */
export function found(members: readonly Member[], search: string): Member[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return members.filter((member) => {
    const text = `${member.name} ${member.email} ${member.role}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The parts of an entry that differ from what is kept. */
export function changedParts(kept: MemberEntry, entry: MemberEntry): Partial<MemberEntry> {
  const parts = ['name', 'email', 'role', 'timeZone'] as const;
  return Object.fromEntries(parts.filter((part) => kept[part] !== entry[part]).map((part) => [part, entry[part]]));
}
