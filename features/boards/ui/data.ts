/** Data of boards: types, queries, and requests. */
import { useQuery } from '@tanstack/react-query';
import { client, type Exact, type Schemas } from '@shell/client';
import { CANCELED_WORDS, FINISHED_WORDS, NOT_STARTED_WORDS, PAGE_MAX } from '@shell/gen/limits';
import type { SettingValues } from '@shell/gen/settings';
import { useWorkspaces } from '@shell/workspace';

/** A board's record, as far as it is shown. */
export type Board = Pick<
  Schemas['BoardRecord'],
  'id' | 'workspaceId' | 'name' | 'revision' | 'itemCount' | 'subitemCount' | 'updatedAt'
>;

/** A label of a status or dropdown column that is there. */
export type Label = Exact<Schemas['Label'], { id: string }>;

/** The type of a column, which determines its cell values. */
export type ColumnType = Schemas['ColumnType'];

/** Names of the column types, in the order offered. */
export const COLUMN_TYPES: Record<ColumnType, string> = {
  text: 'Text',
  longText: 'Long text',
  number: 'Number',
  status: 'Status',
  dropdown: 'Dropdown',
  tags: 'Tags',
  people: 'People',
  date: 'Date',
  timeline: 'Timeline',
  checkbox: 'Checkbox',
  link: 'Link',
  email: 'Email',
  phone: 'Phone',
  rating: 'Rating',
  progress: 'Progress',
  createdAt: 'Created at',
  createdBy: 'Created by',
  updatedAt: 'Updated at',
  updatedBy: 'Updated by',
  itemLink: 'Link to items',
  sprint: 'Sprint',
  mirror: 'Mirror',
  formula: 'Formula',
  file: 'Files',
};

/** How far an item with a label is. */
export type Category = Schemas['Category'];
/** The categories as people read them, in the order offered. */
export const CATEGORIES: Record<Category, string> = {
  notStarted: 'Not started',
  active: 'Active',
  done: 'Done',
  canceled: 'Canceled',
};

const plain = (called: string) => called.trim().toLowerCase().replace(/[_-]/g, ' ').replaceAll('’', "'");
const DONE = new Set<string>(FINISHED_WORDS);
const CANCELED = new Set<string>(CANCELED_WORDS);
const NOT_STARTED = new Set<string>(NOT_STARTED_WORDS);
/** The default category of a label with this text, as on the server. */
export function categoryOfWords(called: string): Category {
  if (CANCELED.has(plain(called))) return 'canceled';
  if (DONE.has(called.trim().toLowerCase())) return 'done';
  return NOT_STARTED.has(plain(called)) ? 'notStarted' : 'active';
}
/** A label's category. Boards from an earlier version only have `done`. */
export function categoryOf(label: Label, labels: readonly Label[]): Category {
  if (label.category) return label.category;
  const words = categoryOfWords(label.text);
  if (words === 'canceled') return words;
  const isMarked = (one: Label) =>
    one.category ? one.category === 'done' : one.done === true && categoryOfWords(one.text) !== 'canceled';
  if (labels.some(isMarked)) return label.done ? 'done' : words === 'done' ? 'active' : words;
  return words;
}

/** Types whose cells come from elsewhere: nothing is written to them. */
const READ_ONLY: ReadonlySet<ColumnType> = new Set<ColumnType>([
  'createdAt',
  'createdBy',
  'updatedAt',
  'updatedBy',
  'mirror',
  'formula',
]);
/** Whether nothing is written to the column's cells. */
export const isReadOnly = (column: Pick<Column, 'type'>): boolean => READ_ONLY.has(column.type);
/** Whether a file's values can become cells of the type. */
export const isFromFile = (type: ColumnType): boolean =>
  !READ_ONLY.has(type) && type !== 'itemLink' && type !== 'sprint' && type !== 'file';

/** Names of caller kinds. */
export const KIND_NAMES: Readonly<Record<string, string>> = {
  owner: 'Owner',
  cli: 'Command line',
  agent: 'Session',
  member: 'Member',
};

type Settings = Exact<Schemas['Settings'], { labels?: Label[] }>;
/** Settings of a column; which ones depends on its type. Unset ones are omitted, never null. */
export type ColumnSettings = { [Member in keyof Settings]: Exclude<Settings[Member], null> };

/** A column of a board. */
export type Column = Exact<Schemas['ColumnRecord'], { settings: ColumnSettings }>;

/** The column that describes how to display its cells: a formula column is shown as its result type. */
export const shownAs = (column: Column): Column =>
  column.type === 'formula' ? { ...column, type: column.settings.result ?? 'text' } : column;

/** Whether two values of a cell are one; nothing is like `null`. */
export const sameValue = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Whether a cell holds nothing. */
export const isBlank = (value: CellValue) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** A group of items. */
export type Group = Pick<Schemas['GroupRecord'], 'id' | 'name'> & Partial<Schemas['GroupRecord']>;

/** A span of days, both written YYYY-MM-DD. */
export type Span = { from: string; to: string };

/** Preset of a new board, by its code. */
export type PresetName = SettingValues['pmSetupPreset'] | 'blank';

/** A file attached to an item. */
export type Attachment = Schemas['Attachment'];

/** A cell's value as the program takes and sends it; null is empty. */
export type CellValue = string | number | boolean | string[] | Span | Attachment[] | null;

/** Whether a cell lists files. */
export const isFiles = (value: CellValue | undefined): value is Attachment[] =>
  Array.isArray(value) && typeof value[0] === 'object';

/** Whether a cell holds a list of words or ids. */
export const isList = (value: CellValue | undefined): value is string[] =>
  Array.isArray(value) && typeof value[0] !== 'object';

/** Boards of the workspace in view; index.tsx says by what they become old, which the navigation's are only as to what it shows. */
export function useBoards(key: 'boards' | 'board-links' = 'boards') {
  const { current } = useWorkspaces();
  return useQuery({
    queryKey: [key, current?.id],
    enabled: current !== undefined,
    queryFn: async ({ signal }) => {
      const boards: Board[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.get('/boards', {
          signal,
          query: { workspaceId: current?.id, limit: PAGE_MAX, cursor },
        });
        boards.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      return boards;
    },
  });
}

/** Whether the account has a board in any workspace. */
export const useHasBoards = () =>
  useQuery({
    queryKey: ['boards', 'any'],
    queryFn: ({ signal }) =>
      client.get('/boards', { signal, query: { limit: 1 } }).then((list) => list.items.length > 0),
  });
