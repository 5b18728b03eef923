/** Chooses the members that a cell names. The draft is a list of their ids. */
import { useState, type KeyboardEvent, type Ref } from 'react';
import type { Column, Member } from './data';
import { fromDraft } from './format';
import { PickFields, type Choice } from './PickFields';

const SHOWN_MAX = 50;
/** The choice that empties the cell. */
const NOBODY: Choice = { id: '', name: 'Nobody' };

const folded = (text: string) => text.trim().toLocaleLowerCase();

/** Members whose names have what was typed in them, those that begin with it first. */
export function membersLike(typed: string, members: readonly Member[]): Member[] {
  const wanted = folded(typed);
  const rank = ({ name }: Member) => (folded(name).startsWith(wanted) ? 0 : folded(name).includes(` ${wanted}`) ? 1 : 2);
  return members.filter(({ name }) => folded(name).includes(wanted)).sort((a, b) => rank(a) - rank(b));
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
  const shown = wanted === '' ? [...found].sort((a, b) => Number(draft.includes(b.id)) - Number(draft.includes(a.id))) : found;
  const choices: Choice[] = [...shown.slice(0, SHOWN_MAX), ...(folded(NOBODY.name).startsWith(wanted) ? [NOBODY] : [])];
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
      placeholder={draft.flatMap((id) => members.find((member) => member.id === id)?.name ?? []).join(', ') || 'Find a member'}
      note={refused || (found.length > SHOWN_MAX ? `${SHOWN_MAX} of ${found.length.toLocaleString()} members: type to find others` : '')}
      isUnknown={refused !== ''}
      onToggle={({ id }) => {
        // Who is no member any more goes with the first choice.
        const known = draft.filter((one) => members.some((member) => member.id === one));
        const next = id === NOBODY.id ? [] : known.includes(id) ? known.filter((one) => one !== id) : [...known, id];
        onDraft(next);
        return next;
      }}
    />
  );
}
