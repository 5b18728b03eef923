/** What the program says about boards: shapes, queries, and the requests that change something. */
import { useQuery } from '@tanstack/react-query';
import { api } from '@shell/api';
import { PAGE_MAX } from '@shell/gen/limits';
import { useWorkspaces } from '@shell/workspace';

/** A board's record. */
export interface Board {
  id: string;
  workspaceId: string;
  name: string;
  revision: number;
  /** Subitems not counted. */
  itemCount: number;
  subitemCount?: number;
  updatedAt: string;
}

/** A label of a status or dropdown column. */
export interface Label {
  id: string;
  text: string;
  color?: string;
  done?: boolean;
}

/** The types of column that a cell of the page can show and edit. */
export type ColumnType =
  | 'text'
  | 'longText'
  | 'number'
  | 'status'
  | 'dropdown'
  | 'tags'
  | 'people'
  | 'date'
  | 'timeline'
  | 'checkbox'
  | 'link'
  | 'email'
  | 'phone'
  | 'rating'
  | 'progress'
  | 'createdAt'
  | 'createdBy'
  | 'updatedAt'
  | 'updatedBy'
  | 'itemLink'
  | 'sprint'
  | 'mirror'
  | 'formula'
  | 'file';

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
  email: 'E-mail',
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

/** Types whose cells come from elsewhere: nothing is written to them. */
const READ_ONLY: ReadonlySet<ColumnType> = new Set<ColumnType>(['createdAt', 'createdBy', 'updatedAt', 'updatedBy', 'mirror', 'formula']);
/** Whether nothing is written to the column's cells. */
export const isReadOnly = (column: Pick<Column, 'type'>): boolean => READ_ONLY.has(column.type);
/** Whether a file's values can become cells of the type. */
export const isFromFile = (type: ColumnType): boolean => !READ_ONLY.has(type) && type !== 'itemLink' && type !== 'sprint' && type !== 'file';

/** What callers without a name of their own are called. */
export const KIND_NAMES: Readonly<Record<string, string>> = { owner: 'Owner', cli: 'Command line', agent: 'Session', member: 'Member' };

/** Settings of a column; which of them it has depends on its type. */
export interface ColumnSettings {
  labels?: Label[];
  unit?: string;
  currency?: string;
  decimals?: number;
  percent?: boolean;
  options?: string[];
  max?: number;
  boardId?: string;
  groupId?: string;
  many?: boolean;
  timelineColumn?: string;
  startColumn?: string;
  endColumn?: string;
  linkColumn?: string;
  sourceColumn?: string;
  formula?: string;
  result?: 'number' | 'text' | 'date' | 'checkbox';
}

/** A column of a board. */
export interface Column {
  id: string;
  title: string;
  type: ColumnType;
  settings: ColumnSettings;
}

/** The column as its cells are to be read: one that is computed is like a column of what it gives. */
export const shownAs = (column: Column): Column => (column.type === 'formula' ? { ...column, type: column.settings.result ?? 'text' } : column);

/** Whether two values of a cell are one; nothing is like `null`. */
export const sameValue = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** A group of items. */
export interface Group {
  id: string;
  name: string;
  color?: string;
}

/** A person that people columns name. */
export interface Member {
  id: string;
  name: string;
}

/** A span of days, both written YYYY-MM-DD. */
export interface Span {
  from: string;
  to: string;
}

/** A file attached to an item. */
export interface Attachment {
  id: string;
  name: string;
  /** Its bytes. */
  size: number;
  /** The media type that it came with. */
  type: string;
}

/** A cell's value as the program takes and sends it; null is empty. */
export type CellValue = string | number | boolean | string[] | Span | Attachment[] | null;

/** Whether a cell holds a list of words or ids. */
export const isList = (value: CellValue | undefined): value is string[] => Array.isArray(value) && typeof value[0] !== 'object';

/** An item after a change. */
export interface WrittenItem {
  id: string;
  name: string;
  cells: Record<string, CellValue>;
  boardRevision: number;
}

/** Boards of the workspace in view; index.tsx says by what they become old. */
export function useBoards() {
  const { current } = useWorkspaces();
  return useQuery({
    queryKey: ['boards', current?.id],
    enabled: current !== undefined,
    queryFn: async ({ signal }) => {
      const boards: Board[] = [];
      let cursor: string | undefined;
      do {
        const page = await api.get<{ items: Board[]; nextCursor?: string | null }>('/boards', { signal, query: { workspaceId: current?.id, limit: PAGE_MAX, cursor } });
        boards.push(...page.items);
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      return boards;
    },
  });
}

/** The member directory. */
export const useMembers = () =>
  useQuery({ queryKey: ['members'], queryFn: ({ signal }) => api.get<{ items: Member[] }>('/members', { signal }).then((list) => list.items) });

/** Changes that the page asks for. */
export const change = {
  createBoard: (workspaceId: string, name: string, preset: string) => api.post<{ id?: string; board?: Board }>('/boards', { workspaceId, name, preset }),
  renameBoard: (id: string, name: string) => api.patch<Board>(`/boards/${id}`, { name }),
  deleteBoard: (id: string) => api.delete(`/boards/${id}`),
  /** One cell by itself, whatever it holds. */
  cell: (board: string, item: string, column: string, value: CellValue) => api.patch<WrittenItem>(`/boards/${board}/items/${item}/cells/${column}`, { value }),
  deleteColumn: (board: string, column: string) => api.delete(`/boards/${board}/columns/${column}`),
  addColumn: (board: string, title: string, type: ColumnType, settings: ColumnSettings = {}) => api.post(`/boards/${board}/columns`, { title, type, settings }),
  /** Sends what changes and nothing else: the rest may have been changed by others since it was read. */
  /** `was`: what of it the person has seen; the change is refused where that is no longer so. */
  updateColumn: (board: string, column: string, changed: { title?: string; settings?: ColumnSettings; was: { title?: string; settings?: ColumnSettings } }) => api.patch(`/boards/${board}/columns/${column}`, changed),
};
