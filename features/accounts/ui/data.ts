/** The member directory: shapes, the query, and the requests that change it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '@shell/api';

/** What a person says of a member. */
export interface MemberEntry {
  name: string;
  /** Empty where unknown, like the two below. */
  email: string;
  role: string;
  /** A name of the time zone database. */
  timeZone: string;
}

/** A member of the directory. */
export interface Member extends MemberEntry {
  id: string;
}

/** What boards read as well, so that a new member can be chosen there at once. */
const MEMBERS_QUERY = 'members';

/** The member directory, by name. */
export const useMembers = () =>
  useQuery({ queryKey: [MEMBERS_QUERY], queryFn: ({ signal }) => api.get<{ items: Member[] }>('/members', { signal }).then((list) => list.items) });

/** Changes of the directory; what shows members is read again after each. */
export function useMemberChanges() {
  const cache = useQueryClient();
  const then = async (request: Promise<unknown>) => {
    await request;
    await cache.invalidateQueries({ queryKey: [MEMBERS_QUERY] });
  };
  return {
    add: (entry: MemberEntry) => then(api.post('/members', entry)),
    /** Sends what changed and nothing else. */
    update: (id: string, changed: Partial<MemberEntry>) => then(api.patch(`/members/${id}`, changed)),
    remove: (id: string) => then(api.delete(`/members/${id}`)),
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
