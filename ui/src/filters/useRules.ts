import { useEffect, useState } from 'react';
import type { Filters, Rule } from '../engine/types';
import { beyondOf, isUnfinished, newRule, rulesOf, withRules, type Beyond, type Subject } from './rules';

/** The rules of a filter while they are written. */
export interface RulesHandle {
  /** Those that are stored, then those that are begun. */
  rules: readonly Rule[];
  beyond: readonly Beyond[];
  /** How many choose something. */
  active: number;
  /** Whether there is any stored one. */
  isChosen: boolean;
  change: (rule: Rule) => void;
  remove: (id: string) => void;
  add: () => void;
  /** Forgets those that are begun. */
  forget: () => void;
  onFilter: (filter: Filters | undefined) => void;
}

/** Keeps new rules back until there is something that they ask for: the filter is everybody's, and so is what stands in it. */
export function useRules(subject: Subject, members: ReadonlyMap<string, string>, filter: Filters | undefined, onFilter: (filter: Filters | undefined) => void): RulesHandle {
  const stored = rulesOf(filter);
  const [begun, setBegun] = useState<readonly Rule[]>([]);
  const isStored = (id: string) => stored.some((one) => one.id === id);
  // Until the filter has it, a finished one stays where it is typed.
  useEffect(() => {
    const there = new Set(rulesOf(filter).map(({ id }) => id));
    setBegun((list) => (list.some(({ id }) => there.has(id)) ? list.filter(({ id }) => !there.has(id)) : list));
  }, [filter]);
  const beyond = beyondOf(subject, filter, members);
  const isOpenEnded = (rule: Rule) => isUnfinished(rule, subject.fieldOf(rule));
  const set = (next: readonly Rule[]) => onFilter(withRules(filter, next));
  const without = (list: readonly Rule[], id: string) => list.filter((one) => one.id !== id);
  return {
    rules: [...stored, ...begun.filter(({ id }) => !isStored(id))],
    beyond,
    active: stored.filter((rule) => !rule.off && !isOpenEnded(rule)).length + beyond.filter((one) => !one.isOff).length,
    isChosen: stored.length + beyond.length > 0,
    change: (next) => {
      const put = (list: readonly Rule[]) => list.map((one) => (one.id === next.id ? next : one));
      if (isStored(next.id)) return set(put(stored));
      setBegun(put);
      if (!isOpenEnded(next)) set([...stored, next]);
    },
    remove: (id) => (isStored(id) ? set(without(stored, id)) : setBegun((list) => without(list, id))),
    add: () => {
      const rule = newRule(subject, subject.fields[0]!);
      if (isOpenEnded(rule)) setBegun([...begun, rule]);
      else set([...stored, rule]);
    },
    forget: () => setBegun([]),
    onFilter,
  };
}
