/** Search and filter of a board's items: a search field, and a line for each rule. */
import { useRef } from 'react';
import { Button as AnyButton, SearchField as AnySearchField } from '@shell/components';
import type { Filters, InertRule } from '@shell/engine/types';
import { RuleList } from '@shell/filters/RuleList';
import type { Field, Unaskable } from '@shell/filters/rules';
import { useRules } from '@shell/filters/useRules';
import { namesOf, type Member } from '@shell/members';
import { steady } from '@shell/steady';
import { counted } from '../format';
import { subjectOf } from './rules';

// The bar is drawn at every letter, and again with what the letter finds: what of it stays as it is, stays.
const [Button, SearchField] = [steady(AnyButton), steady(AnySearchField)];

interface FilterBarProps {
  board: string;
  fields: readonly Field[];
  /** Columns that are listed and cannot be chosen. */
  unaskable?: readonly Unaskable[];
  members: readonly Member[];
  filter: Filters | undefined;
  onFilter: (filter: Filters | undefined) => void;
  search: string;
  onSearch: (text: string) => void;
  inert: readonly InertRule[];
  /** How many items are shown, of how many. */
  matching: number;
  of: number;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** Titles of hidden columns, where the view hides some, and what shows them again. */
  hidden?: readonly string[];
  onShowHidden?: () => void;
}

export function FilterBar(props: FilterBarProps) {
  const {
    board,
    fields,
    unaskable = [],
    members,
    filter,
    onFilter,
    search,
    onSearch,
    inert,
    matching,
    of,
    isOpen,
    onOpen,
    hidden = [],
    onShowHidden,
  } = props;
  const subject = subjectOf(board, fields);
  const rules = useRules(subject, namesOf(members), filter, onFilter);
  const opener = useRef<HTMLButtonElement>(null);
  const isChosen = search.trim() !== '' || rules.isChosen;
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Keys of the elements inside bubble up here.
    <div
      className="filter"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen || event.defaultPrevented) return;
        event.stopPropagation();
        onOpen(false);
        opener.current?.focus();
      }}
    >
      <div className="filter-bar" role="search" aria-label="Filter items">
        <div className="filter-search">
          <SearchField aria-label="Search items" placeholder="Search" value={search} onChange={onSearch} />
        </div>
        <Button ref={opener} variant="plain" icon="filter" aria-expanded={isOpen} onPress={() => onOpen(!isOpen)}>
          {rules.active > 0 ? `Filter (${rules.active})` : 'Filter'}
        </Button>
        {onShowHidden && hidden.length > 0 && (
          <Button variant="plain" icon="eye" onPress={onShowHidden}>
            {hidden.length === 1 ? `Show ${hidden[0]}` : `Show ${hidden.length} hidden columns`}
          </Button>
        )}
        <span className="filter-count" role="status">
          {isChosen && `${matching.toLocaleString()} of ${counted(of)} ${matching === 1 ? 'matches' : 'match'}`}
        </span>
        {isChosen && (
          <Button
            variant="plain"
            onPress={() => {
              onSearch('');
              rules.forget();
              onFilter(undefined);
            }}
          >
            Clear filters
          </Button>
        )}
      </div>
      {isOpen && <RuleList subject={subject} handle={rules} unaskable={unaskable} members={members} inert={inert} />}
    </div>
  );
}
