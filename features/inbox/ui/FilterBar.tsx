/** Narrows the list of rows, and groups it. */
import type { Ref } from 'react';
import { Button, SearchField, Select } from '@shell/components';
import { NO_FILTERS, NO_HUB, type Filters, type KindRecord } from './data';

interface Props {
  filters: Filters;
  onChange: (change: Partial<Filters>) => void;
  kinds: readonly KindRecord[];
  hubs: ReadonlyMap<string, string>;
  searchRef: Ref<HTMLInputElement>;
}

export const isFiltered = (filters: Filters) =>
  Object.entries(NO_FILTERS).some(([name, none]) => filters[name as keyof typeof NO_FILTERS] !== none);

export function FilterBar({ filters, onChange, kinds, hubs, searchRef }: Props) {
  return (
    <div className="inbox-filters" role="search" aria-label="Filter rows">
      <SearchField
        aria-label="Search rows"
        placeholder="Search"
        value={filters.q}
        onChange={(q) => onChange({ q })}
        maxLength={200}
        inputRef={searchRef}
      />
      <Select
        aria-label="Show"
        value={filters.only}
        onChange={(only) => onChange({ only })}
        options={[
          { value: '', label: 'All rows' },
          { value: 'unread', label: 'Unread' },
          { value: 'needsYou', label: 'Needs you' },
        ]}
      />
      <Select
        aria-label="Kind"
        value={filters.kind}
        onChange={(kind) => onChange({ kind })}
        options={[{ value: '', label: 'All kinds' }, ...kinds.map(({ name, label }) => ({ value: name, label }))]}
      />
      <Select
        aria-label="Hub"
        value={filters.hub}
        onChange={(hub) => onChange({ hub })}
        options={[
          { value: '', label: 'All hubs' },
          ...[...hubs].map(([value, label]) => ({ value, label })),
          { value: NO_HUB, label: 'No hub' },
        ]}
      />
      <Select
        aria-label="Severity"
        value={filters.severity}
        onChange={(severity) => onChange({ severity })}
        options={[
          { value: '', label: 'All severities' },
          { value: 'critical', label: 'Critical' },
          { value: 'warning', label: 'Warning' },
          { value: 'info', label: 'Info' },
        ]}
      />
      <Select
        aria-label="Group by"
        value={filters.by}
        onChange={(by) => onChange({ by })}
        options={[
          { value: 'none', label: 'No groups' },
          { value: 'hub', label: 'Group by hub' },
          { value: 'board', label: 'Group by board' },
        ]}
      />
      {isFiltered(filters) && (
        <Button variant="plain" onPress={() => onChange(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
