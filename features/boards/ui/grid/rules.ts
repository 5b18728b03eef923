/** What can be asked of a column, in words. What there is to ask comes from the engine, which says what it means. */
import { FAMILIES, OPERATORS } from '@shell/gen/filters';
import type { ColRef, Filters, InertRule, Rule } from '@shell/engine/types';
import type { Column, Group } from '../data';
import { askedAs, type LinkedBoard } from '../links';

type Family = keyof typeof OPERATORS;
type Entry = (typeof OPERATORS)[Family][number];

/** What an operator compares with. */
export type Operand = Entry['takes'];

export interface Operator {
  op: Entry['op'];
  label: string;
  takes: Operand;
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
  return [
    { id: 'name', title: 'Name', family: 'text', choices: [] },
    ...columns.flatMap((column): Field[] => {
      const { type, settings } = askedAs(column, { columns, linked }) ?? column;
      if (!isFiltered(type)) return [];
      return [{ id: column.id, title: column.title, family: FAMILIES[type], choices: (settings.labels ?? []).map((label) => label.text) }];
    }),
    { id: 'group', title: 'Group', family: 'label', choices: groups.map((group) => group.name) },
    { id: 'created', title: 'Created', family: 'date', choices: [] },
    { id: 'updated', title: 'Updated', family: 'date', choices: [] },
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

export const operatorsOf = (field: Field): readonly Operator[] => OPERATORS[field.family].map(({ op, takes }) => ({ op, label: LABELS[op], takes }));

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
const isUnfinished = (value: unknown): boolean => value === undefined || value === null || value === '' || (Array.isArray(value) && (value.length === 0 || value.some(isUnfinished)));

/** Why a rule constrains nothing, if that is to be said: what nobody has finished writing is not called wrong. */
export function whyInert(rule: Rule, inert: readonly InertRule[]): string | undefined {
  const reason = inert.find((one) => one.id === rule.id)?.reason;
  if (reason === undefined || (reason === 'wrong-value' && isUnfinished(rule.value))) return undefined;
  return INERT[reason];
}
