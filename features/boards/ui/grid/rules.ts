/** Filterable fields of a board's items: columns and common properties. */
import type { ColRef, Rule } from '@shell/engine/types';
import { familyOf, type Field, type Subject, type Unaskable } from '@shell/filters/rules';
import type { Column, Group } from '../data';
import { askedAs, type LinkedBoard } from '../links';

const BUILTIN = ['name', 'group', 'created', 'updated'] as const;

/** All filterable fields: the name, the board's columns, then common properties. */
export function fieldsOf(
  columns: readonly Column[],
  groups: readonly Group[],
  linked?: readonly LinkedBoard[],
): Field[] {
  const titles = new Set(columns.map(({ title }) => title.trim().toLowerCase()));
  /** What every item has, told apart from a column of the board that is called the same. */
  const ofItems = (title: string) => (titles.has(title.toLowerCase()) ? `${title} (of every item)` : title);
  return [
    { id: 'name', title: ofItems('Name'), family: 'text', choices: [] },
    ...columns.flatMap((column): Field[] => {
      const { type, settings } = askedAs(column, { columns, linked }) ?? column;
      const family = familyOf(type);
      if (!family) return [];
      return [
        { id: column.id, title: column.title, family, choices: (settings.labels ?? []).map((label) => label.text) },
      ];
    }),
    { id: 'group', title: ofItems('Group'), family: 'label', choices: groups.map((group) => group.name) },
    { id: 'created', title: ofItems('Created'), family: 'date', choices: [] },
    { id: 'updated', title: ofItems('Updated'), family: 'date', choices: [] },
  ];
}

/** The columns that are in no field. */
export const unaskable = (columns: readonly Column[], fields: readonly Field[]): Unaskable[] =>
  columns
    .filter(({ id }) => !fields.some((field) => field.id === id))
    .map(({ id, title, type }) => ({
      id,
      title,
      why: type === 'mirror' ? 'Its source column no longer exists' : "Can't be filtered",
    }));

/** The column as a rule names it. */
function refOf(board: string, field: string): ColRef {
  const builtin = BUILTIN.find((name) => name === field);
  return builtin ? { by: 'builtin', name: builtin } : { by: 'ids', ids: { [board]: [field] } };
}

function fieldOf(board: string, { col }: Rule, fields: readonly Field[]): Field | undefined {
  if (col.by === 'title')
    return fields.find((field) => field.title.trim().toLowerCase() === col.title.trim().toLowerCase());
  const id = col.by === 'builtin' ? col.name : col.ids[board]?.[0];
  return fields.find((field) => field.id === id);
}

/** Context of the rules of a board's views. */
export const subjectOf = (board: string, fields: readonly Field[]): Subject => ({
  fields,
  fieldOf: (rule) => fieldOf(board, rule, fields),
  refOf: (field) => refOf(board, field),
});
