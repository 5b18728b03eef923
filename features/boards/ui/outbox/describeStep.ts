/** Descriptions of steps for undo messages. */
import { counted } from '../format';
import { NAME } from '../grid/columns';
import { PARENT, PLACE } from '../places';
import type { BoardTable } from '../table';
import type { Parts, Step } from './step';

/** Items of a step whose names are stored along with it. */
const NAMED_MAX = 100;

/** Names of items and columns. */
export interface Called {
  item: (id: string) => string;
  column: (id: string) => string;
  group: (id: string) => string;
}

/** `Status of Dry run`, `deleting Dry run`, `3 changes of 2 items`. */
export function describeStep({ cells = [], add = [], archive = [], remove = [] }: Parts, called: Called): string {
  const items = [...new Set([...cells.map(({ item }) => item), ...add.map(({ id }) => id), ...archive, ...remove])];
  const [first = ''] = items;
  const isOne = items.length === 1;
  const of = isOne ? (add[0]?.name ?? called.item(first)) : counted(items.length);
  const kinds = [cells, add, archive, remove].filter((list) => list.length > 0);
  if (kinds.length !== 1) return `changes to ${of}`;
  if (add.length > 0) return `adding ${of}`;
  if (archive.length > 0) return `archiving ${of}`;
  if (remove.length > 0) return `deleting ${of}`;
  // A card that is dropped elsewhere gets a place beside what it is dropped on.
  const values = cells.filter(({ column }) => column !== PLACE);
  const columns = [...new Set((values.length > 0 ? values : cells).map(({ column }) => column))];
  if (columns.length === 1 && columns[0] === PARENT)
    return values.every(({ after }) => after === null)
      ? `converting ${of} to ${isOne ? 'an item' : 'items'}`
      : `converting ${of} to ${isOne ? 'a subitem' : 'subitems'}`;
  return columns.length === 1
    ? `${called.column(columns[0]!)} of ${of}`
    : `${values.length.toLocaleString()} cells of ${of}`;
}

/** A board as a page holds it, and the steps that wait. */
interface Held {
  table: BoardTable | undefined;
  steps: readonly Step[];
}

/** Names of the first of these items, as far as known. */
export function namesIn({ table, steps }: Held, items: readonly string[]): Record<string, string> {
  const added = steps.flatMap(({ add }) => add);
  return Object.fromEntries(
    items.slice(0, NAMED_MAX).flatMap((item) => {
      const row = table?.row(item);
      const name =
        row === undefined ? added.find(({ id }) => id === item)?.name : String(table?.cell(row, 'name') ?? '');
      return name === undefined ? [] : [[item, name]];
    }),
  );
}

/** Names at the time they're needed. */
export const calledIn = (held: () => Held): Called => ({
  item: (item) => namesIn(held(), [item])[item] ?? 'an item',
  column: (column) => {
    if (column === 'groupId') return 'Group';
    if (column === PLACE) return 'position';
    return [NAME, ...(held().table?.meta.columns ?? [])].find(({ id }) => id === column)?.title ?? 'a column';
  },
  group: (group) => held().table?.meta.groups.find(({ id }) => id === group)?.name ?? '',
});
