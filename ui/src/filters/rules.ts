/** What can be asked of a column, in words. What there is to ask comes from the engine, which says what it means. */
import type { ColRef, Filters, InertRule, Rule } from '../engine/types';
import { FAMILIES, OPERATORS } from '../gen/filters';
import { COMPARISONS } from '../gen/titles';
import { FORMER } from '../members';

/** A kind of value, which decides what can be asked. */
export type Family = keyof typeof OPERATORS;
type Entry = (typeof OPERATORS)[Family][number];

/** What an operator compares with. */
export type Operand = Entry['takes'];

export interface Operator {
  op: Entry['op'];
  label: string;
  takes: Operand;
  /** What it means for empty cells, where that is to be said. */
  onEmpty: string | undefined;
}

/** A published page says the same. */
const LABELS: Record<Entry['op'], string> = COMPARISONS;

/** What operators that say no mean for a cell that holds nothing, which nobody could guess. */
const ON_EMPTY: Partial<Record<Entry['op'], string>> = {
  notContains: 'Empty cells too',
  isNot: 'Empty cells too',
  noneOf: 'Empty cells too',
  hasNone: 'Empty cells too',
  isNotChecked: 'Empty cells too',
  '!=': 'No empty cells',
};

/** The family of a type of column; none where no rule can be about it. */
export const familyOf = (type: string): Family | undefined =>
  type in FAMILIES ? FAMILIES[type as keyof typeof FAMILIES] : undefined;

/** Something that a rule can be about. */
export interface Field {
  id: string;
  title: string;
  family: Family;
  /** What there is to choose from, by text so that a rule reads alike on every board. */
  choices: readonly string[];
}

/** What rules can be about on a page, and how they name it. */
export interface Subject {
  fields: readonly Field[];
  /** What a rule is about; `undefined` where it is not there. */
  fieldOf: (rule: Rule) => Field | undefined;
  /** The field as a rule names it. */
  refOf: (field: string) => ColRef;
}

/** Something that no rule can be about, and why. */
export interface Unaskable {
  id: string;
  title: string;
  why: string;
}

export const operatorsOf = (field: Field): readonly Operator[] =>
  OPERATORS[field.family].map(({ op, takes }) => ({ op, label: LABELS[op], takes, onEmpty: ON_EMPTY[op] }));

/** A new rule about a field, without a value yet. */
export const newRule = ({ refOf }: Pick<Subject, 'refOf'>, field: Field): Rule => ({
  id: crypto.randomUUID().slice(0, 8),
  col: refOf(field.id),
  op: operatorsOf(field)[0]!.op,
});

type Item = Filters['all'][number];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const REFS: Record<string, (col: Record<string, unknown>) => boolean> = {
  title: ({ title, type }) => typeof title === 'string' && typeof type === 'string',
  ids: ({ ids }) =>
    isObject(ids) &&
    Object.values(ids).every((list) => Array.isArray(list) && list.every((id) => typeof id === 'string')),
  builtin: ({ name }) => typeof name === 'string',
};

/** Whether it has a rule's form; what another client wrote may have any. */
const isRule = (entry: unknown): entry is Rule =>
  isObject(entry) &&
  typeof entry.id === 'string' &&
  typeof entry.op === 'string' &&
  (entry.off === undefined || typeof entry.off === 'boolean') &&
  isObject(entry.col) &&
  REFS[String(entry.col.by)]?.(entry.col) === true;

const isGroup = (entry: unknown): entry is { any: Rule[] } =>
  isObject(entry) && Array.isArray(entry.any) && entry.any.every(isRule);

/** What of a filter's entries has the form of one, for the engine, which takes no other. */
export const wellFormed = (all: readonly unknown[]): Item[] => all.filter((entry) => isRule(entry) || isGroup(entry));

const isAny = (entry: unknown): entry is { any: Rule[] } => isGroup(entry) && entry.any.length > 0;

/** What a list shows of a filter: each entry as the rules of which one is enough, mostly one by itself. What else there is stays as it is. */
export const entriesOf = (filter: Filters | undefined): Rule[][] =>
  (filter?.all ?? []).flatMap((entry) =>
    isAny(entry) ? [entry.any] : 'any' in Object(entry) || !isRule(entry) ? [] : [[entry]],
  );

const asEntry = (rules: readonly Rule[]): Item[] => (rules.length > 1 ? [{ any: [...rules] }] : [...rules]);

const isSomething = (filter: Filters): Filters | undefined =>
  filter.all.length > 0 || filter.people ? filter : undefined;

/** The filter with the entry of the rule changed; one without rules is none. */
export function withEntry(
  filter: Filters | undefined,
  rule: string,
  change: (rules: readonly Rule[]) => readonly Rule[],
): Filters | undefined {
  if (!filter) return undefined;
  const put = (entry: Item): Item[] => {
    const [rules] = entriesOf({ v: 1, people: null, all: [entry] });
    return rules?.some(({ id }) => id === rule) ? asEntry(change(rules)) : [entry];
  };
  return isSomething({ ...filter, all: filter.all.flatMap(put) });
}

/** The rules of a filter that stand by themselves. */
export const rulesOf = (filter: Filters | undefined): Rule[] =>
  (filter?.all ?? []).filter((entry) => !('any' in Object(entry)) && isRule(entry)) as Rule[];

/** What else a filter asks, which others than this page can write: people, and what is no rule. */
export interface Beyond {
  id: string;
  text: string;
  /** What is wrong with it whatever the engine says. */
  fault?: string;
  /** The filter without it. */
  without: Filters | undefined;
}

type Named = ReadonlyMap<string, string>;
type Known = Pick<Subject, 'fieldOf'>;

export function beyondOf(filter: Filters | undefined, members: Named): Beyond[] {
  if (!filter) return [];
  const strange = filter.all.flatMap((entry, at): Beyond[] => {
    if (isAny(entry) || rulesOf({ v: 1, people: null, all: [entry] }).length > 0) return [];
    const without = isSomething({ ...filter, all: filter.all.filter((one) => one !== entry) });
    return [{ id: `any-${at}`, text: 'an unsupported rule', fault: 'Unsupported: it has no effect', without }];
  });
  const { people } = filter;
  const asked = people
    ? [...people.ids.map((id) => personIn(id, members)), ...(people.teams ?? []).map(() => 'a team')]
    : [];
  const of: Beyond[] =
    asked.length > 0
      ? [
          {
            id: 'people',
            text: `a person of the item is ${asked.join(' or ')}`,
            without: isSomething({ ...filter, people: null }),
          },
        ]
      : [];
  return [...strange, ...of];
}

/** Whom an id of a rule names. */
export const personIn = (id: string, members: Named): string =>
  id === 'me' ? 'Me' : id === 'none' ? 'Unassigned' : (members.get(id) ?? FORMER);

/** Whether a rule asks for whoever looks at it. */
export const isAboutMe = (value: unknown): boolean => Array.isArray(value) && value.includes('me');

/** What a rule calls the column that it is about, be it there or not. */
export const calledIn = ({ col }: Rule): string => (col.by === 'title' ? col.title : 'Missing column');

/** A comparison in words, of whatever it is one. */
export const comparison = (op: string): string => (op in LABELS ? LABELS[op as Entry['op']] : op);

/** What a rule compares with; a person stays one where the column is gone. */
export function compared({ fieldOf }: Known, rule: Rule, members: Named): string {
  const { col, op, value } = rule;
  const field = fieldOf(rule);
  const takes = field && operatorsOf(field).find((one) => one.op === op)?.takes;
  const isAboutPeople = takes
    ? takes === 'people'
    : (field?.family ?? (col.by === 'title' && familyOf(col.type))) === 'people';
  const isSaid = (one: unknown) => typeof one === 'string' || typeof one === 'number';
  const said = (one: unknown) =>
    isAboutPeople || members.has(String(one)) ? personIn(String(one), members) : String(one);
  return [value]
    .flat()
    .filter(isSaid)
    .map(said)
    .join(takes === 'numbers' || takes === 'days' ? ' and ' : ' or ');
}

/** A rule as one reads it. */
export function inWords(known: Known, rule: Rule, members: Named): string {
  const field = known.fieldOf(rule);
  const operator = field && operatorsOf(field).find(({ op }) => op === rule.op);
  return [field?.title ?? calledIn(rule), operator?.label ?? comparison(rule.op), compared(known, rule, members)]
    .filter(Boolean)
    .join(' ');
}

/** The filter with other rules in the place of those that `rulesOf` gives. */
export function withRules(filter: Filters | undefined, rules: readonly Rule[]): Filters | undefined {
  const listed = new Set<Item>(rulesOf(filter));
  const all = [...rules, ...(filter?.all ?? []).filter((entry) => !listed.has(entry))];
  return isSomething({ ...filter, v: 1, people: filter?.people ?? null, all });
}

/** What is wrong with a rule. */
const WRONG: Record<InertRule['reason'], string> = {
  'unknown-operator': 'unknown comparison',
  'wrong-value': "the value doesn't fit",
  'no-value': 'no value yet',
  'deleted-label': 'the label was deleted',
  'unknown-member': 'the member was removed',
  'unknown-team': 'the team was deleted',
  'unknown-column': 'the column was deleted',
  'lost-label': 'the label was deleted',
  'lost-column': 'the column was deleted on board',
};

/** What is wrong with a rule, in words. */
export const wrongWith = ({ reason, lost = [] }: InertRule): string =>
  [WRONG[reason], lost.join(', ')].filter(Boolean).join(reason === 'lost-column' ? ' ' : ': ');

/** Whether a rule has lost a part only, and goes on with the rest. */
export const goesOn = ({ reason }: InertRule): boolean =>
  reason === 'unknown-member' || reason === 'lost-label' || reason === 'lost-column';

/** Whether something is still missing of a rule's value. */
const isMissing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && (value.length === 0 || value.some(isMissing)));

/** Whether a rule about the field still waits for what it compares with: it chooses nothing yet. */
export const isUnfinished = (rule: Rule, field: Field | undefined): boolean =>
  field !== undefined &&
  isMissing(rule.value) &&
  operatorsOf(field).some(({ op, takes }) => op === rule.op && takes !== 'none');

/** What is wrong with a rule, if that is to be said: what nobody has finished writing is not called wrong. */
export function whyInert(rule: Pick<Rule, 'id' | 'value'>, inert: readonly InertRule[]): string | undefined {
  const wrong = inert.find((one) => one.id === rule.id);
  // A rule that is not finished says nothing.
  if (wrong === undefined || wrong.reason === 'no-value' || (wrong.reason === 'wrong-value' && isMissing(rule.value)))
    return undefined;
  const said = wrongWith(wrong);
  return said[0]!.toUpperCase() + said.slice(1);
}
