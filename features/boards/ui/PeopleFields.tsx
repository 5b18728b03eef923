/** Chooses the members that a cell names. The draft is a list of their ids. */
import { useState, type KeyboardEvent, type Ref } from 'react';
import { calledOf, folded, FORMER, namesOf, type Member } from '@shell/members';
import type { Column } from './data';
import { fromDraft } from './format';
import { PickFields, type Choice } from './PickFields';

const SHOWN_MAX = 50;
/** The choice that empties the cell. */
const NOBODY: Choice = { id: '', name: 'Unassigned' };

/** Members whose names or distinguishing details contain the typed text, prefix matches first. */
export function membersLike(typed: string, members: readonly Member[]): Member[] {
  const wanted = folded(typed);
  const names = namesOf(members);
  const rank = ({ name }: Member) =>
    folded(name).startsWith(wanted) ? 0 : folded(name).includes(` ${wanted}`) ? 1 : 2;
  return members.filter(({ id }) => folded(names.get(id) ?? '').includes(wanted)).sort((a, b) => rank(a) - rank(b));
}

interface PeopleFieldsProps {
  first: Ref<HTMLInputElement>;
  column: Column;
  members: readonly Member[];
  label: string;
  /** The letter that began editing. */
  typed: string | null;
  draft: readonly string[];
  onDraft: (ids: string[]) => void;
  onKeyDown: (event: KeyboardEvent, chosen?: readonly string[]) => void;
  onLeave: () => void;
}

export function PeopleFields({ column, members, typed: begun, draft, onDraft, ...field }: PeopleFieldsProps) {
  const [typed, setTyped] = useState(begun ?? '');
  const wanted = folded(typed);
  const found = membersLike(typed, members);
  // What is chosen stands first, so that it can be taken out without looking for it.
  const shown =
    wanted === '' ? [...found].sort((a, b) => Number(draft.includes(b.id)) - Number(draft.includes(a.id))) : found;
  // Who is no member any more is shown for as long as the cell holds them, to be kept or taken out.
  const isFormer = (id: string) => !members.some((member) => member.id === id);
  const former: Choice[] = wanted === '' ? draft.filter(isFormer).map((id) => ({ id, name: FORMER })) : [];
  const choices: Choice[] = [
    ...former,
    ...shown.slice(0, SHOWN_MAX).map(({ id }) => ({ id, name: calledOf(id, members) })),
    ...(folded(NOBODY.name).startsWith(wanted) ? [NOBODY] : []),
  ];
  // Who is meant is said where someone may be added to the members.
  const outcome = choices.length === 0 ? fromDraft(typed, column, members) : null;
  const refused = outcome && 'refused' in outcome ? outcome.refused : '';
  return (
    <PickFields
      {...field}
      choices={choices}
      isChosen={({ id }) => (id === NOBODY.id ? draft.length === 0 : draft.includes(id))}
      isMany
      typed={typed}
      onTyped={setTyped}
      placeholder={draft.map((id) => calledOf(id, members)).join(', ') || 'Find a member'}
      note={
        refused ||
        (found.length > SHOWN_MAX ? `${SHOWN_MAX} of ${found.length.toLocaleString()} members: type to search` : '')
      }
      isUnknown={refused !== ''}
      onToggle={({ id }) => {
        const next = id === NOBODY.id ? [] : draft.includes(id) ? draft.filter((one) => one !== id) : [...draft, id];
        onDraft(next);
        return next;
      }}
    />
  );
}
