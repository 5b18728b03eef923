/** The row below the head: whose items, which items, and what is chosen for this visit only. */
import { useRef, useState, type RefObject } from 'react';
import { Button as AnyButton, Icon } from '@shell/components';
import type { InertRule } from '@shell/engine/types';
import { useFocusKept } from '@shell/focus';
import { RuleList } from '@shell/filters/RuleList';
import { goesOn, personIn, whyInert } from '@shell/filters/rules';
import { useRules } from '@shell/filters/useRules';
import { namesOf, type Member } from '@shell/members';
import { steady } from '@shell/steady';
import { listed, peopleOf, typedInto, withListed, withPeople } from '../filter/filters';
import { PeopleList } from '../filter/PeopleList';
import type { BoardsSubject } from '../filter/subject';
import type { Filters } from '../model';
import type { SessionRule } from './session';

/** What the toolbar needs of the page. */
export interface ToolbarProps {
  subject: BoardsSubject;
  members: readonly Member[];
  filters: Filters;
  /** Stores the change; steps of one group are undone together. */
  onFilters: (change: (filters: Filters) => Filters, group?: string) => void;
  inert: readonly InertRule[];
  /** How many items pass, of how many; null until they were counted. */
  count: { matching: number; of: number } | null;
  session: readonly SessionRule[];
  onDrop: (id: string) => void;
  onClear: () => void;
}

// The row is drawn again with each answer, which says how many items match: what of it stays as it is, stays.
const Button = steady(AnyButton);

const NAMED_MAX = 2;

/** Names, the first two. */
function said(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return names.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export function Toolbar({
  subject,
  members,
  filters,
  onFilters,
  inert,
  count,
  session,
  onDrop,
  onClear,
}: ToolbarProps) {
  const [open, setOpen] = useState<'people' | 'filter' | null>(null);
  const bar = useFocusKept<HTMLDivElement>('.dash-only', () => openers.filter.current);
  const openers = { people: useRef<HTMLButtonElement>(null), filter: useRef<HTMLButtonElement>(null) };
  const names = namesOf(members);
  const people = peopleOf(filters);
  const rules = useRules(subject, names, listed(filters), (next) =>
    onFilters((now) => withListed(now, next), typedInto(filters.all, next?.all ?? []) ?? undefined),
  );
  const whose = [...(people?.ids ?? []).map((id) => personIn(id, names)), ...(people?.teams ?? []).map(() => 'a team')];
  const isStrange = filters.people !== null && !people;
  const isChosen = whose.length > 0 || isStrange || rules.isChosen || session.length > 0;
  const faulty = rules.entries.flat().filter((rule) => !rule.off && whyInert(rule, inert));
  const isInert = ({ id }: { id: string }) => inert.some((one) => one.id === id && !goesOn(one));
  const fault = isStrange
    ? "The people filter isn't supported"
    : faulty.some(isInert) || rules.beyond.some((one) => one.fault)
      ? 'A rule has no effect'
      : faulty.length > 0 && 'A rule is incomplete';
  const opener = (name: 'people' | 'filter', ref: RefObject<HTMLButtonElement | null>, words: string) => (
    <Button
      ref={ref}
      variant="plain"
      icon={name}
      aria-expanded={open === name}
      onPress={() => setOpen(open === name ? null : name)}
    >
      {words}
    </Button>
  );
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Keys of the elements inside bubble up here.
    <div
      className="filter dash-toolbar"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || open === null || event.defaultPrevented) return;
        event.stopPropagation();
        setOpen(null);
        openers[open].current?.focus();
      }}
    >
      <div className="filter-bar" ref={bar} role="search" aria-label="Filter all widgets">
        {opener('people', openers.people, whose.length > 0 ? `People: ${said(whose)}` : 'People')}
        {opener('filter', openers.filter, rules.active > 0 ? `Filter (${rules.active})` : 'Filter')}
        {fault && <span className="filter-reason">{fault}</span>}
        {session.map(({ rule, text }) => (
          <button
            key={rule.id}
            type="button"
            className="dash-only"
            aria-label={`Remove filter: ${text}`}
            title="For this visit only. Press Escape to remove it."
            onClick={() => onDrop(rule.id)}
          >
            Only {text}
            <Icon name="close" size={12} />
          </button>
        ))}
        <span className="filter-count" role="status">
          {isChosen &&
            count &&
            `${count.matching.toLocaleString()} of ${count.of.toLocaleString()} ${count.of === 1 ? 'item' : 'items'} ${count.matching === 1 ? 'matches' : 'match'}`}
        </span>
        {isChosen && (
          <Button
            variant="plain"
            onPress={() => {
              rules.forget();
              onClear();
              openers.filter.current?.focus();
            }}
          >
            Clear filters
          </Button>
        )}
      </div>
      {open === 'people' && (
        <PeopleList
          members={members}
          ids={people?.ids ?? []}
          inert={inert}
          onChange={(ids) => onFilters((now) => withPeople(now, ids))}
        />
      )}
      {open === 'filter' && <RuleList subject={subject} handle={rules} members={members} inert={inert} />}
    </div>
  );
}
