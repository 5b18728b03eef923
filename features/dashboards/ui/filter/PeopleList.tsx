import { useState } from 'react';
import { SearchField } from '@shell/components';
import type { InertRule } from '@shell/engine/types';
import { Choices, Me, people, Reason } from '@shell/filters/RuleList';
import { whyInert } from '@shell/filters/rules';
import { folded, type Member } from '@shell/members';
import { steady } from '@shell/steady';

/** From so many on they are searched. */
const SEARCHED_MIN = 12;
/** Of more, those are shown that the search finds. */
const SHOWN_MAX = 40;

interface PeopleListProps {
  members: readonly Member[];
  ids: readonly string[];
  inert: readonly InertRule[];
  onChange: (ids: string[]) => void;
}

function List({ members, ids, inert, onChange }: PeopleListProps) {
  const [search, setSearch] = useState('');
  const wanted = folded(search);
  const all = people(members, ids);
  const found = all.filter(({ text }) => folded(text).includes(wanted));
  // Who is chosen is always among those that are shown, to be taken out again.
  const shown = found.filter(({ id }, at) => at < SHOWN_MAX || ids.includes(id));
  return (
    <div className="filter-rules" role="group" aria-label="People">
      {members.length >= SEARCHED_MIN && (
        <div className="filter-search">
          <SearchField
            aria-label="Find a member"
            placeholder="Find a member"
            value={search}
            onChange={setSearch}
            autoFocus
          />
        </div>
      )}
      <Choices options={shown} value={ids} onChange={onChange} />
      {found.length > shown.length && (
        <span className="filter-hint">{`${shown.length} of ${found.length.toLocaleString()}: search to find others`}</span>
      )}
      {found.length === 0 && <span className="filter-hint">{`No member's name contains “${search.trim()}”.`}</span>}
      {ids.includes('me') && (
        <span className="filter-rule">
          <Me members={members} />
        </span>
      )}
      <Reason text={whyInert({ id: 'people', value: ids }, inert)} />
    </div>
  );
}

/** Chooses whose items are shown: me, members, nobody. */
export const PeopleList = steady(List);
