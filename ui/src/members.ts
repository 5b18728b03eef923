/** The member directory, and what members are called: by their names, and where two have the same one by what tells them apart as well. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from './client';

/** A person that people columns name; the address is empty or left out where it is not known. */
export type Member = Pick<Schemas['Member'], 'id' | 'name'> & Partial<Pick<Schemas['Member'], 'email'>>;

/** What a member is called who is none any more; cells keep them. */
export const FORMER = 'Former member';

/** The member directory. */
export const useMembers = () =>
  useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => client.get('/members', { signal }).then((list) => list.items),
  });

/** Letters of an id that tell a member from another of the same name who has no address either. */
const ID_END = 4;

export const folded = (text: string) => text.trim().toLocaleLowerCase();

const known = new WeakMap<readonly Member[], ReadonlyMap<string, string>>();

/** How often each comes. */
const counts = (texts: readonly string[]) =>
  texts.reduce((all, text) => all.set(text, 1 + (all.get(text) ?? 0)), new Map<string, number>());

/** What each member is called, by id. */
export function namesOf(members: readonly Member[]): ReadonlyMap<string, string> {
  const before = known.get(members);
  if (before) return before;
  const addressed = ({ name, email = '' }: Member) => `${folded(name)}\n${folded(email)}`;
  const [names, addresses] = [counts(members.map(({ name }) => folded(name))), counts(members.map(addressed))];
  const called = (member: Member) => {
    const { id, name, email } = member;
    if (names.get(folded(name)) === 1) return name;
    return `${name} (${email && addresses.get(addressed(member)) === 1 ? email : `…${id.slice(-ID_END)}`})`;
  };
  const made = new Map(members.map((member) => [member.id, called(member)]));
  known.set(members, made);
  return made;
}

/** What the member is called that a cell names. */
export const calledOf = (id: string, members: readonly Member[]): string => namesOf(members).get(id) ?? FORMER;

/** The members that are meant by what was typed: who is called so, else all of that name. */
export function membersCalled(typed: string, members: readonly Member[]): readonly Member[] {
  const wanted = folded(typed);
  const names = namesOf(members);
  const [one] = members.filter(({ id }) => folded(names.get(id) ?? '') === wanted);
  return one ? [one] : members.filter(({ name }) => folded(name) === wanted);
}
