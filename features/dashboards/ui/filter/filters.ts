/** The dashboard's filter as it is stored, as it is edited, and as the engine is asked. Each keeps what it does not know. */
import type { Filters as Asked, Rule } from '@shell/engine/types';
import { wellFormed } from '@shell/filters/rules';
import type { Json } from '@shell/settings';
import { objectOf, type Filters } from '../model';

/** Whose items are shown. */
export type People = NonNullable<Asked['people']>;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The people control as it is stored; null where there is none or nobody understands it. */
export function peopleOf({ people }: Filters): People | null {
  if (typeof people !== 'object' || people === null || Array.isArray(people)) return null;
  const { ids, teams } = people;
  return isTexts(ids) && (teams === undefined || isTexts(teams))
    ? { ...people, ids, ...(teams ? { teams } : {}) }
    : null;
}

/** The stored filter with these people. */
export function withPeople(filters: Filters, ids: readonly string[]): Filters {
  const people: People = { ...peopleOf(filters), ids: [...ids] };
  return { ...filters, people: ids.length > 0 || (people.teams?.length ?? 0) > 0 ? (people as unknown as Json) : null };
}

/** The stored rules, without the people, as the list of rules takes them. */
export const listed = (filters: Filters): Asked => ({
  v: 1,
  people: null,
  all: filters.all as unknown as Asked['all'],
});

/** The stored filter with these rules. */
export const withListed = (filters: Filters, next: Asked | undefined): Filters => ({
  ...filters,
  all: (next?.all ?? []) as unknown as Json[],
});

/** The stored filter that lets everything pass. */
export const cleared = (filters: Filters): Filters => ({ ...filters, people: null, all: [] });

/** What the engine is asked: what is stored and has a filter's form, and the rules of this session. */
export const asked = (filters: Filters, session: readonly Rule[]): Asked => ({
  v: 1,
  people: peopleOf(filters),
  all: [...wellFormed(filters.all), ...session],
});

/** Of a change that is typing into one rule's value: the rule. Such changes are one step to undo. */
export function typedInto(before: readonly unknown[], after: readonly unknown[]): string | null {
  const rules = (entries: readonly unknown[]) =>
    entries.flatMap((entry) => (Array.isArray(objectOf(entry).any) ? (entry as { any: unknown[] }).any : [entry]));
  const [old, now] = [rules(before), rules(after)];
  if (old.length !== now.length) return null;
  const [other, ...more] = now.filter((rule, at) => rule !== old[at]) as Rule[];
  return other && more.length === 0 && (typeof other.value === 'string' || typeof other.value === 'number')
    ? `rule ${other.id}`
    : null;
}
