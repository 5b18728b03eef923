/** What can be asked of a column, in words. What there is to ask comes from the engine, which says what it means. */
import { FAMILIES, OPERATORS } from '@shell/gen/filters';
import type { ColRef, Filters, InertRule, Rule } from '@shell/engine/types';
import { FORMER, type Column, type Group } from '../data';
import { askedAs, type LinkedBoard } from '../links';

type Family = keyof typeof OPERATORS;
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

const LABELS: Record<Entry['op'], string> = {
  contains: 'contains',
  notContains: 'does not contain',
  is: 'is',
  isNot: 'is not',
  startsWith: 'starts with',
  '=': '=',
  '!=': '≠',
  '>': '>',
  '>=': '≥',
  '<': '<',
  '<=': '≤',
  between: 'is between',
  anyOf: 'is any of',
  noneOf: 'is none of',
  hasAny: 'has any of',
  hasAll: 'has all of',
  hasNone: 'has none of',
  on: 'is on',
  before: 'is before',
  after: 'is after',
  today: 'is today',
  yesterday: 'is yesterday',
  tomorrow: 'is tomorrow',
  thisWeek: 'is this week',
  lastWeek: 'is last week',
  nextWeek: 'is next week',
  thisMonth: 'is this month',
  lastMonth: 'is last month',
  nextMonth: 'is next month',
  thisQuarter: 'is this quarter',
  lastQuarter: 'is last quarter',
  nextQuarter: 'is next quarter',
  lastDays: 'is in the last days',
  nextDays: 'is in the next days',
  overdue: 'is overdue',
  isChecked: 'is checked',
  isNotChecked: 'is not checked',
  isEmpty: 'is empty',
  isNotEmpty: 'is not empty',
};

/** What operators that say no mean for a cell that holds nothing, which nobody could guess. */
const ON_EMPTY: Partial<Record<Entry['op'], string>> = {
  notContains: 'Empty cells too',
  isNot: 'Empty cells too',
  noneOf: 'Empty cells too',
  hasNone: 'Empty cells too',
  isNotChecked: 'Empty cells too',
  '!=': 'No empty cells',
};

const isFiltered = (name: string): name is keyof typeof FAMILIES => name in FAMILIES;

/** Something that a rule can be about. */
export interface Field {
  id: string;
  title: string;
  family: Family;
  /** What there is to choose from, by text so that a rule reads alike on every board. */
  choices: readonly string[];
}

const BUILTIN = ['name', 'group', 'created', 'updated'] as const;

/** Everything that rules can be about: the name, the board's columns, then what every item has. */
export function fieldsOf(columns: readonly Column[], groups: readonly Group[], linked?: readonly LinkedBoard[]): Field[] {
  const titles = new Set(columns.map(({ title }) => title.trim().toLowerCase()));
  /** What every item has, told apart from a column of the board that is called the same. */
  const ofItems = (title: string) => (titles.has(title.toLowerCase()) ? `${title} (of every item)` : title);
  return [
    { id: 'name', title: ofItems('Name'), family: 'text', choices: [] },
    ...columns.flatMap((column): Field[] => {
      const { type, settings } = askedAs(column, { columns, linked }) ?? column;
      if (!isFiltered(type)) return [];
      return [{ id: column.id, title: column.title, family: FAMILIES[type], choices: (settings.labels ?? []).map((label) => label.text) }];
    }),
    { id: 'group', title: ofItems('Group'), family: 'label', choices: groups.map((group) => group.name) },
    { id: 'created', title: ofItems('Created'), family: 'date', choices: [] },
    { id: 'updated', title: ofItems('Updated'), family: 'date', choices: [] },
  ];
}

/** A column that no rule can be about, and why. */
export interface Unaskable {
  id: string;
  title: string;
  why: string;
}

/** The columns that are in no field. */
export const unaskable = (columns: readonly Column[], fields: readonly Field[]): Unaskable[] =>
  columns
    .filter(({ id }) => !fields.some((field) => field.id === id))
    .map(({ id, title, type }) => ({ id, title, why: type === 'mirror' ? 'What it mirrors is not there any more' : 'There is nothing to ask of it' }));

export const operatorsOf = (field: Field): readonly Operator[] => OPERATORS[field.family].map(({ op, takes }) => ({ op, label: LABELS[op], takes, onEmpty: ON_EMPTY[op] }));

/** The column as a rule names it. */
export function refOf(board: string, field: string): ColRef {
  const builtin = BUILTIN.find((name) => name === field);
  return builtin ? { by: 'builtin', name: builtin } : { by: 'ids', ids: { [board]: [field] } };
}

/** What a rule is about; `undefined` where this board has not got it. */
export function fieldOf(board: string, rule: Rule, fields: readonly Field[]): Field | undefined {
  const { col } = rule;
  if (col.by === 'title') return fields.find((field) => field.title.trim().toLowerCase() === col.title.trim().toLowerCase());
  const id = col.by === 'builtin' ? col.name : col.ids[board]?.[0];
  return fields.find((field) => field.id === id);
}

/** A new rule about a field, without a value yet. */
export const newRule = (board: string, field: Field): Rule => ({ id: crypto.randomUUID().slice(0, 8), col: refOf(board, field.id), op: operatorsOf(field)[0]!.op });

/** The rules of a filter that a list can show: those by themselves. Rules of which one has to be met stay as they are. */
export const rulesOf = (filter: Filters | undefined): Rule[] => (filter?.all ?? []).filter((entry): entry is Rule => !('any' in entry));

/** What else a filter asks, which others than this page can write: the rules of which one is enough, and people. */
export interface Beyond {
  id: string;
  text: string;
  isOff: boolean;
  /** Of these the engine may say that they constrain nothing. */
  rules: readonly Rule[];
  /** The filter without it. */
  without: Filters | undefined;
}

type Named = ReadonlyMap<string, string>;

export function beyondOf(board: string, filter: Filters | undefined, fields: readonly Field[], members: Named): Beyond[] {
  if (!filter) return [];
  const put = (next: Filters) => (next.all.length > 0 || next.people ? next : undefined);
  const groups = filter.all.flatMap((entry, at): Beyond[] => {
    if (!('any' in entry)) return [];
    const used = entry.any.filter((rule) => !rule.off);
    const text = (used.length > 0 ? used : entry.any).map((rule) => inWords(board, rule, fields, members)).join(', or ');
    return [{ id: `any-${at}`, text: text || 'nothing', isOff: used.length === 0, rules: entry.any, without: put({ ...filter, all: filter.all.filter((one) => one !== entry) }) }];
  });
  const { people } = filter;
  const asked = people ? [...people.ids.map((id) => personIn(id, members)), ...(people.teams ?? []).map(() => 'a team')] : [];
  const of: Beyond[] = asked.length > 0 ? [{ id: 'people', text: `a person of the item is ${asked.join(' or ')}`, isOff: false, rules: [], without: put({ ...filter, people: null }) }] : [];
  return [...groups, ...of];
}

/** Whom an id of a rule names. */
export const personIn = (id: string, members: Named): string => (id === 'me' ? 'Me' : id === 'none' ? 'Nobody' : (members.get(id) ?? FORMER));

/** Whether a rule asks for whoever looks at it. */
export const isAboutMe = (value: unknown): boolean => Array.isArray(value) && value.includes('me');

function inWords(board: string, rule: Rule, fields: readonly Field[], members: Named): string {
  const field = fieldOf(board, rule, fields);
  const operator = field && operatorsOf(field).find(({ op }) => op === rule.op);
  const said = (one: unknown) => (operator?.takes === 'people' ? personIn(String(one), members) : String(one));
  const value = Array.isArray(rule.value) ? rule.value.map(said).join(operator?.takes === 'numbers' || operator?.takes === 'days' ? ' and ' : ' or ') : typeof rule.value === 'string' || typeof rule.value === 'number' ? said(rule.value) : '';
  return [field?.title ?? 'A column that is not there', operator?.label ?? rule.op, value].filter(Boolean).join(' ');
}

/** The filter with other rules in the place of those that `rulesOf` gives. */
export function withRules(filter: Filters | undefined, rules: readonly Rule[]): Filters | undefined {
  const groups = (filter?.all ?? []).filter((entry) => 'any' in entry);
  const all = [...rules, ...groups];
  return all.length > 0 || filter?.people ? { v: 1, people: filter?.people ?? null, all } : undefined;
}

/** Why a rule constrains nothing, in words; a rule that is not finished says nothing. */
const INERT: Record<string, string | undefined> = {
  'unknown-operator': 'This comparison is not known',
  'wrong-value': 'The value does not fit',
  'deleted-label': 'No such label any more',
  'unknown-member': 'No such member any more',
  'unknown-team': 'No such team any more',
  'unknown-column': 'No such column any more',
};

/** Whether something is still missing of a rule's value. */
const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '' || (Array.isArray(value) && (value.length === 0 || value.some(isMissing)));

/** Whether a rule about the field still waits for what it compares with: it chooses nothing yet. */
export const isUnfinished = (rule: Rule, field: Field | undefined): boolean =>
  field !== undefined && isMissing(rule.value) && operatorsOf(field).some(({ op, takes }) => op === rule.op && takes !== 'none');

/** Why a rule constrains nothing, if that is to be said: what nobody has finished writing is not called wrong. */
export function whyInert(rule: Rule, inert: readonly InertRule[]): string | undefined {
  const reason = inert.find((one) => one.id === rule.id)?.reason;
  if (reason === undefined || (reason === 'wrong-value' && isMissing(rule.value))) return undefined;
  return INERT[reason];
}
