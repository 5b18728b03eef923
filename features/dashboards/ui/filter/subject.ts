/** What rules over several boards can be about: columns of one title and family count as one, and what every item has. */
import type { ColRef, Rule } from '@shell/engine/types';
import { familyOf, type Family, type Field, type Subject } from '@shell/filters/rules';
import type { BoardInfo, Column } from '../boards';

/** Board names that stand for the board's own, beside its columns. */
type Builtin = (ColRef & { by: 'builtin' })['name'];

const fold = (title: string) => title.trim().toLowerCase();

/** Families in words, for columns that are called alike and hold different things. */
const FAMILY_NAMES: Record<Family, string> = {
  checkbox: 'checkbox',
  date: 'date',
  files: 'files',
  label: 'label',
  links: 'linked items',
  number: 'number',
  people: 'people',
  tags: 'tags',
  text: 'text',
};

const BUILTINS: readonly { name: Builtin; title: string; family: Family }[] = [
  { name: 'name', title: 'Name', family: 'text' },
  { name: 'board', title: 'Board', family: 'label' },
  { name: 'group', title: 'Group', family: 'label' },
  { name: 'created', title: 'Created', family: 'date' },
  { name: 'updated', title: 'Updated', family: 'date' },
  { name: 'subitem', title: 'Is a subitem', family: 'checkbox' },
];

/** Each text once, as it is written first. */
function once(texts: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const text of texts) if (!seen.has(fold(text))) seen.set(fold(text), text);
  return [...seen.values()];
}

/** What rules over these boards can be about, and which boards a rule reaches. */
export interface BoardsSubject extends Subject {
  /** Whether the board has what the rule is about. */
  reaches: (rule: Rule, board: BoardInfo) => boolean;
}

/** Whether the board has a column that the people control asks. */
export const hasPeople = (board: BoardInfo) => board.columns.some(({ type }) => familyOf(type) === 'people');

function names(col: ColRef, board: BoardInfo, column: Column): boolean {
  if (col.by === 'title') return fold(column.title) === fold(col.title) && familyOf(column.type) === familyOf(col.type);
  return col.by === 'ids' && (col.ids[board.id] ?? []).includes(column.id);
}

/** Everything that the boards' columns, and their items as such, can be asked. */
export function subjectOf(boards: readonly BoardInfo[]): BoardsSubject {
  const united = new Map<string, { title: string; type: string; family: Family; choices: string[] }>();
  for (const { columns } of boards) {
    for (const { title, type, settings } of columns) {
      const family = familyOf(type);
      if (!family) continue;
      const id = `${family} ${fold(title)}`;
      const choices = (settings.labels ?? []).map(({ text }) => text);
      const known = united.get(id);
      if (known) known.choices.push(...choices);
      else united.set(id, { title: title.trim(), type, family, choices });
    }
  }
  const titles = [...united.values()].map(({ title }) => fold(title));
  const isAlone = (title: string) => titles.filter((one) => one === fold(title)).length === 1;
  const columns = [...united].map(([id, { title, family, choices }]): Field => ({
    id,
    title: isAlone(title) ? title : `${title} (${FAMILY_NAMES[family]})`,
    family,
    choices: once(choices),
  }));
  const choicesOf: Partial<Record<Builtin, string[]>> = {
    board: boards.map(({ name }) => name),
    group: boards.flatMap(({ groups = [] }) => groups.map(({ name }) => name)),
  };
  const ofItems = BUILTINS.map(({ name, title, family }): Field => ({
    id: name,
    title: titles.includes(fold(title)) ? `${title} (of every item)` : title,
    family,
    choices: once(choicesOf[name] ?? []),
  }));
  const [first, ...others] = ofItems;
  const fields = [first!, ...columns, ...others];
  const idOf = ({ col }: Rule): string | undefined => {
    if (col.by === 'builtin') return col.name;
    for (const board of boards) {
      const column = board.columns.find((one) => names(col, board, one));
      if (column) return `${familyOf(column.type) ?? ''} ${fold(column.title)}`;
    }
    return undefined;
  };
  return {
    fields,
    fieldOf: (rule) => {
      const id = idOf(rule);
      return fields.find((field) => field.id === id);
    },
    refOf: (id) => {
      const column = united.get(id);
      return column ? { by: 'title', title: column.title, type: column.type } : { by: 'builtin', name: id as Builtin };
    },
    reaches: ({ col }, board) => col.by === 'builtin' || board.columns.some((column) => names(col, board, column)),
  };
}
