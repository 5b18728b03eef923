/** Requests and results of imports. */
import { api } from '@shell/api';
import { client, type Exact, type Schemas } from '@shell/client';
import { COLUMN_TYPES, isFromFile, type ColumnSettings, type ColumnType } from '../data';

/** A row that was not taken, or a value in it. */
export type RowProblem = Schemas['RowProblem'];

/** The quote character of fields, or `none`. */
export type Quote = Schemas['Quote'];

/** Order of day and month in ambiguous dates. */
export type DateOrder = Schemas['DayOrder'];

type Read = Schemas['PreviewColumn'];
/** A column of the file, as the program understands it; the item's name and its group have no type. */
export type FoundColumn = Pick<
  Exact<Read, { role: 'name' | 'group' | 'parent' | 'column' | 'skip' }>,
  'index' | 'title' | 'role' | 'sample' | 'notes'
> &
  Partial<Pick<Read, 'type' | 'columnId' | 'dateOrder' | 'nearly' | 'unknownPeople'>> & { settings?: ColumnSettings };

/** Counts of an update of an existing board. */
export type UpdateCounts = Schemas['UpdateCounts'];

/** Preview of a file. Missing keys, names, and sheets are omitted, never null. */
export type Preview = Omit<
  Exact<Schemas['Preview'], { key?: number; name?: string; sheet?: string }>,
  'columns' | 'sampleRows' | 'rowsLeftOut' | 'groups'
> & { columns: FoundColumn[] };

/** Result of an import. */
export type Imported = Pick<Schemas['Imported'], 'board' | 'importId' | 'rowsSkipped' | 'problems'> &
  Partial<Pick<Schemas['Imported'], 'rowsImported'> & UpdateCounts>;

/** What to skip if a cell doesn't fit its column. */
export type Misfit = Schemas['OnMisfit'];

/** How many rows come in. */
export const rowsTaken = (preview: Preview, misfit: Misfit) =>
  preview.rowsTaken - (misfit === 'row' ? preview.misfitRows : 0);

/** How many rows were left out, in words. */
export const unreadWords = (rows: number): string =>
  `Couldn't read ${rows === 1 ? '1 row' : `${rows.toLocaleString()} rows`}:`;

/** How many rows have a cell that does not fit, in words. */
export function misfitWords({ rowsEstimated, misfitRows }: Preview): string {
  const of = `${misfitRows.toLocaleString()} of ${rowsEstimated.toLocaleString()} ${rowsEstimated === 1 ? 'row' : 'rows'}`;
  return `${of} ${misfitRows === 1 ? 'has' : 'have'} a cell that doesn't fit its column`;
}

/** Adds people to the member directory; an address is the name and the address of its member. */
export async function addMembers(people: readonly string[]): Promise<void> {
  for (const name of people)
    await client.post('/members', { body: name.includes('@') ? { name, email: name } : { name } });
}

/** A tool whose exports are known. */
export type Tool = Schemas['ToolName'];

/** The tools whose exports are known; `none` is a table of no tool. */
export const TOOLS: Readonly<Record<Tool, string>> = {
  jira: 'Jira',
  linear: 'Linear',
  asana: 'Asana',
  monday: 'monday',
  notion: 'Notion',
  airtable: 'Airtable',
  trello: 'Trello',
  github: 'GitHub',
  none: 'Other',
};

/** The user's changes to a column of the file. */
export interface Chosen {
  index: number;
  type?: ColumnType;
  columnId?: string;
  role?: 'name' | 'group' | 'parent';
  skip?: boolean;
}

/** The user's options for the file. */
export interface Choices {
  tool?: Tool;
  sheet?: string;
  /** Whether the first row holds the titles. */
  header?: boolean;
  encoding?: string;
  delimiter?: string;
  quote?: Quote;
  /** The board that the file goes into; a new one where left out. */
  boardId?: string;
  key?: number;
  archived?: boolean;
  dateOrder?: DateOrder;
  overwrite?: boolean;
}

/** Targets of a file column: a type, a part of the item, or a column of the board (`c1` and so on). */
export type Becomes = ColumnType | 'name' | 'group' | 'parent' | 'skip' | `c${number}`;

/** Targets for a column of a new board. */
export const NEW_COLUMN: readonly { value: Becomes; label: string }[] = [
  { value: 'name', label: 'Item name' },
  { value: 'group', label: 'Item group' },
  { value: 'parent', label: 'Parent item, by key or name' },
  ...Object.entries(COLUMN_TYPES)
    .filter(([type]) => isFromFile(type as ColumnType))
    .map(([value, label]) => ({ value: value as Becomes, label })),
  { value: 'skip', label: 'Skip' },
];

/** Target of a column: the user's choice, otherwise the detected one. */
export function becomesOf(found: FoundColumn, chosen: Chosen | undefined): Becomes {
  if (chosen)
    return chosen.skip ? 'skip' : (chosen.role ?? (chosen.columnId as Becomes | undefined) ?? chosen.type ?? 'skip');
  if (found.role !== 'column') return found.role;
  return (found.columnId as Becomes | undefined) ?? found.type ?? 'skip';
}

/** The sign that a column's numbers are written with, or nothing. */
export function signOf({ currency, percent }: NonNullable<FoundColumn['settings']>): string {
  if (!currency) return percent ? '%' : '';
  const parts = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).formatToParts(0);
  return parts.find((part) => part.type === 'currency')?.value ?? currency;
}

/** Targets for this column of a new board, with the detected sign for numbers. */
export function newColumnFor(found: FoundColumn): typeof NEW_COLUMN {
  const sign = found.type === 'number' && found.settings ? signOf(found.settings) : '';
  return sign
    ? NEW_COLUMN.map((option) =>
        option.value === 'number' ? { ...option, label: `${option.label}, ${sign}` } : option,
      )
    : NEW_COLUMN;
}

/** The choice that makes a column become this. */
export function chosenAs(index: number, becomes: Becomes): Chosen {
  if (becomes === 'skip') return { index, skip: true };
  if (becomes === 'name' || becomes === 'group' || becomes === 'parent') return { index, role: becomes };
  if (/^c\d+$/.test(becomes)) return { index, columnId: becomes };
  return { index, type: becomes as ColumnType };
}

/** The members of the request that the choices make. */
export function asked(choices: Choices, chosen: readonly Chosen[]): Record<string, string> {
  const { tool, sheet, header, encoding, delimiter, quote, boardId, key, archived, dateOrder, overwrite } = choices;
  return {
    ...(tool ? { tool } : {}),
    ...(sheet ? { sheet } : {}),
    ...(header === undefined ? {} : { header: String(header) }),
    ...(encoding ? { encoding } : {}),
    ...(delimiter ? { delimiter } : {}),
    ...(quote ? { quote } : {}),
    ...(boardId ? { boardId } : {}),
    ...(key === undefined ? {} : { key: String(key) }),
    ...(archived ? { archived: 'keep' } : {}),
    ...(dateOrder ? { dateOrder } : {}),
    ...(boardId && overwrite ? { conflicts: 'overwrite' } : {}),
    ...(chosen.length > 0 ? { columns: JSON.stringify(chosen) } : {}),
  };
}

/** Sends a file; the server detects its type from the content. */
export const send = <T>(file: File, query: Record<string, string>, signal?: AbortSignal): Promise<T> =>
  api.post<T>('/boards/import', file, { query, ...(signal ? { signal } : {}) });

/** Cancels an import that runs. One that cannot be reached has ended with the program. */
export const cancelImport = (importId: string) =>
  void client.delete('/boards/imports/{importId}', { path: { importId } }).catch(() => {});

/** Takes a whole import back. */
export const undoImport = (importId: string) => client.post('/boards/imports/{importId}/undo', { path: { importId } });

const items = (count: number) => (count === 1 ? '1 item' : `${count.toLocaleString()} items`);

/** Items that are named of those that a file no longer has. */
const NAMED_MAX = 10;

/** Of several items the first ones by name. */
function named({ missing, missingItems }: UpdateCounts): string {
  const names = missingItems.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = missing - names.length;
  return [...names, ...(more > 0 ? [`${more.toLocaleString()} more`] : [])].join(', ');
}

/** A part of an item that the file has otherwise than the board. */
export type Difference = Schemas['ImportDifference'];

/** Describes a difference between the board and the file. */
export const differenceWords = ({ name, title, board, file }: Difference): string =>
  `${name}, ${title}: ${board || '(empty)'} → ${file || '(empty)'}`;

/** Describes an update; zero counts are omitted. */
export function updateWords(counts: UpdateCounts): string[] {
  const cells =
    counts.kept === 1 ? 'Kept 1 cell changed here.' : `Kept ${counts.kept.toLocaleString()} cells changed here.`;
  return [
    `${items(counts.added)} new, ${counts.changed.toLocaleString()} changed, ${counts.unchanged.toLocaleString()} unchanged.`,
    ...(counts.missing > 0
      ? [`Kept ${items(counts.missing)} from earlier imports missing from the file: ${named(counts)}.`]
      : []),
    ...(counts.kept > 0 ? [cells] : []),
    ...(counts.stayDeleted > 0
      ? [`${items(counts.stayDeleted)} deleted here ${counts.stayDeleted === 1 ? 'stays' : 'stay'} deleted.`]
      : []),
  ];
}
