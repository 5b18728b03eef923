/** What can be asked of a column: operators by type, in words, and what each compares with. The engine says what they mean. */
import type { ColRef, Filters, Rule } from '@shell/engine/types';
import type { Column, ColumnType, Group } from '../data';

/** What an operator compares with. */
export type Operand = 'none' | 'text' | 'number' | 'numbers' | 'choices' | 'words' | 'people' | 'date' | 'dates' | 'days';

export interface Operator {
  op: string;
  label: string;
  takes: Operand;
}

type Family = 'text' | 'number' | 'label' | 'tags' | 'people' | 'date' | 'checkbox';

const op = (name: string, label: string, takes: Operand): Operator => ({ op: name, label, takes });
const EMPTY = [op('isEmpty', 'is empty', 'none'), op('isNotEmpty', 'is not empty', 'none')];

const OPERATORS: Record<Family, Operator[]> = {
  text: [
    op('contains', 'contains', 'text'),
    op('notContains', 'does not contain', 'text'),
    op('is', 'is', 'text'),
    op('isNot', 'is not', 'text'),
    op('startsWith', 'starts with', 'text'),
    ...EMPTY,
  ],
  number: [
    op('=', '=', 'number'),
    op('!=', '≠', 'number'),
    op('>', '>', 'number'),
    op('>=', '≥', 'number'),
    op('<', '<', 'number'),
    op('<=', '≤', 'number'),
    op('between', 'is between', 'numbers'),
    ...EMPTY,
  ],
  label: [op('anyOf', 'is any of', 'choices'), op('noneOf', 'is none of', 'choices'), ...EMPTY],
  tags: [op('hasAny', 'has any of', 'words'), op('hasAll', 'has all of', 'words'), op('hasNone', 'has none of', 'words'), ...EMPTY],
  people: [op('anyOf', 'is any of', 'people'), op('noneOf', 'is none of', 'people'), ...EMPTY],
  date: [
    op('on', 'is on', 'date'),
    op('before', 'is before', 'date'),
    op('after', 'is after', 'date'),
    op('between', 'is between', 'dates'),
    op('today', 'is today', 'none'),
    op('yesterday', 'is yesterday', 'none'),
    op('tomorrow', 'is tomorrow', 'none'),
    op('lastWeek', 'is last week', 'none'),
    op('thisWeek', 'is this week', 'none'),
    op('nextWeek', 'is next week', 'none'),
    op('lastMonth', 'is last month', 'none'),
    op('thisMonth', 'is this month', 'none'),
    op('nextMonth', 'is next month', 'none'),
    op('lastQuarter', 'is last quarter', 'none'),
    op('thisQuarter', 'is this quarter', 'none'),
    op('nextQuarter', 'is next quarter', 'none'),
    op('lastDays', 'is in the last days', 'days'),
    op('nextDays', 'is in the next days', 'days'),
    op('overdue', 'is overdue', 'none'),
    ...EMPTY,
  ],
  checkbox: [op('isChecked', 'is checked', 'none'), op('isNotChecked', 'is not checked', 'none')],
};

const FAMILY: Partial<Record<ColumnType, Family>> = {
  text: 'text',
  longText: 'text',
  link: 'text',
  email: 'text',
  phone: 'text',
  number: 'number',
  rating: 'number',
  progress: 'number',
  status: 'label',
  dropdown: 'label',
  tags: 'tags',
  people: 'people',
  date: 'date',
  timeline: 'date',
  createdAt: 'date',
  updatedAt: 'date',
  checkbox: 'checkbox',
};

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
export function fieldsOf(columns: readonly Column[], groups: readonly Group[]): Field[] {
  return [
    { id: 'name', title: 'Name', family: 'text', choices: [] },
    ...columns.flatMap((column): Field[] => {
      const family = FAMILY[column.type];
      return family ? [{ id: column.id, title: column.title, family, choices: (column.settings.labels ?? []).map((label) => label.text) }] : [];
    }),
    { id: 'group', title: 'Group', family: 'label', choices: groups.map((group) => group.name) },
    { id: 'created', title: 'Created', family: 'date', choices: [] },
    { id: 'updated', title: 'Updated', family: 'date', choices: [] },
  ];
}

export const operatorsOf = (field: Field): readonly Operator[] => OPERATORS[field.family];

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
export const INERT: Record<string, string | undefined> = {
  'unknown-operator': 'This comparison is not known',
  'wrong-value': 'The value does not fit',
  'deleted-label': 'No such label any more',
  'unknown-member': 'No such member any more',
  'unknown-team': 'No such team any more',
  'unknown-column': 'No such column any more',
};
