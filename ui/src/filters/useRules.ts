import { useEffect, useState } from 'react';
import type { Filters, Rule } from '../engine/types';
import {
  beyondOf,
  entriesOf,
  isUnfinished,
  newRule,
  withEntry,
  withRules,
  rulesOf,
  type Beyond,
  type Subject,
} from './rules';

/** The rules of a filter while they are written. */
export interface RulesHandle {
  /** Those that are stored, then those that are begun: each entry has the rules of which one is enough. */
  entries: readonly (readonly Rule[])[];
  /** What each entry is known by for as long as any of its rules is there, whichever of them stands first. */
  keys: readonly string[];
  beyond: readonly Beyond[];
  /** Whether the rule is in the filter, so that another one can be added beside it. */
  isStored: (id: string) => boolean;
  /** How many choose something. */
  active: number;
  /** Whether there is any stored one. */
  isChosen: boolean;
  change: (rule: Rule) => void;
  remove: (id: string) => void;
  /** Begins a rule, beside a stored one where it is to be enough that one of them is met. */
  add: (beside?: string) => void;
  /** Forgets those that are begun. */
  forget: () => void;
  onFilter: (filter: Filters | undefined) => void;
}

/** A rule that is not stored yet, and the one beside which it was begun: those begun beside one that was removed meanwhile still belong together. */
interface Begun {
  rule: Rule;
  beside: string | undefined;
}

/** The keys of entries, of which some rules were in an entry with a key before. */
function keysOf(entries: RulesHandle['entries'], known: ReadonlyMap<string, string>): string[] {
  const taken = new Set<string>();
  return entries.map((rules) => {
    const before = rules.flatMap(({ id }) => known.get(id) ?? []).find((key) => !taken.has(key));
    let key = before ?? rules[0]!.id;
    while (taken.has(key)) key += '+';
    taken.add(key);
    return key;
  });
}

/** Keeps new rules back until there is something that they ask for: the filter is everybody's, and so is what stands in it. */
export function useRules(
  subject: Subject,
  members: ReadonlyMap<string, string>,
  filter: Filters | undefined,
  onFilter: (filter: Filters | undefined) => void,
): RulesHandle {
  const stored = entriesOf(filter);
  const [begun, setBegun] = useState<readonly Begun[]>([]);
  const isStored = (id: string) => stored.flat().some((one) => one.id === id);
  // Until the filter has it, a finished one stays where it is typed.
  useEffect(() => {
    const there = new Set(
      entriesOf(filter)
        .flat()
        .map(({ id }) => id),
    );
    setBegun((list) =>
      list.some(({ rule }) => there.has(rule.id)) ? list.filter(({ rule }) => !there.has(rule.id)) : list,
    );
  }, [filter]);
  const beyond = beyondOf(filter, members);
  const isOpenEnded = (rule: Rule) => isUnfinished(rule, subject.fieldOf(rule));
  const put = ({ rule, beside }: Begun) => {
    if (beside !== undefined && isStored(beside))
      return onFilter(withEntry(filter, beside, (rules) => [...rules, rule]));
    if (beside !== undefined)
      setBegun((list) => list.map((one) => (one.beside === beside ? { ...one, beside: rule.id } : one)));
    onFilter(withRules(filter, [...rulesOf(filter), rule]));
  };
  const remove = (id: string) => {
    if (!isStored(id)) return setBegun((list) => list.filter(({ rule }) => rule.id !== id));
    const heir = stored.find((rules) => rules.some((one) => one.id === id))?.find((one) => one.id !== id);
    if (heir) setBegun((list) => list.map((one) => (one.beside === id ? { ...one, beside: heir.id } : one)));
    onFilter(withEntry(filter, id, (rules) => rules.filter((one) => one.id !== id)));
  };
  const waiting = begun.filter(({ rule }) => !isStored(rule.id));
  const isOf = (rules: readonly Rule[], { beside }: Begun) => rules.some(({ id }) => id === beside);
  const alone = waiting.filter((one) => !stored.some((rules) => isOf(rules, one)));
  const isFirst = (one: Begun, at: number) =>
    one.beside === undefined || alone.findIndex(({ beside }) => beside === one.beside) === at;
  const together = (first: Begun) =>
    alone.filter((one) => one === first || (one.beside !== undefined && one.beside === first.beside));
  const entries = [
    ...stored.map((rules) => [...rules, ...waiting.filter((one) => isOf(rules, one)).map(({ rule }) => rule)]),
    ...alone.filter(isFirst).map((first) => together(first).map(({ rule }) => rule)),
  ];
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const keys = keysOf(entries, known);
  const now = new Map<string, string>();
  // Scripts may have named two rules alike; the first counts.
  entries.forEach((rules, at) => rules.forEach(({ id }) => now.has(id) || now.set(id, keys[at]!)));
  if (now.size !== known.size || [...now].some(([id, key]) => known.get(id) !== key)) setKnown(now);
  return {
    entries,
    keys,
    beyond,
    isStored,
    active: stored.filter((rules) => rules.some((rule) => !rule.off && !isOpenEnded(rule))).length + beyond.length,
    isChosen: stored.length + beyond.length > 0,
    change: (next) => {
      if (isStored(next.id))
        return onFilter(withEntry(filter, next.id, (rules) => rules.map((one) => (one.id === next.id ? next : one))));
      setBegun((list) => list.map((one) => (one.rule.id === next.id ? { ...one, rule: next } : one)));
      const old = begun.find(({ rule }) => rule.id === next.id);
      if (old && !isOpenEnded(next)) put({ ...old, rule: next });
    },
    remove,
    add: (beside) => {
      const field =
        (beside === undefined ? undefined : subject.fieldOf(stored.flat().find(({ id }) => id === beside)!)) ??
        subject.fields[0]!;
      const one = { rule: newRule(subject, field), beside };
      if (isOpenEnded(one.rule)) setBegun([...begun, one]);
      else put(one);
    },
    forget: () => setBegun([]),
    onFilter,
  };
}
