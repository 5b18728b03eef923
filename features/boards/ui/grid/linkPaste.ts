/** Pasting into cells that link to items: their names, or their ids, are looked up on the board that the column links to. */
import { ApiError, request } from '@shell/api';
import { ENTRIES_MAX } from '@shell/gen/limits';
import { isList, type Column } from '../data';
import { isLink, linkedItems } from '../links';
import { BoardTable } from '../table';
import type { Cells, Sheet } from './edits';

/** Clipboard type for the linked IDs of copied cells. */
export const IDS_TYPE = 'application/x-pilothouse-links';
type Ids = readonly (readonly (readonly string[] | null)[])[];

/** The items that a column can link to, as far as they are known. */
export interface Linkable {
  ids: ReadonlySet<string>;
  /** By the name in small letters; several items may have one. */
  named: ReadonlyMap<string, readonly string[]>;
  /** The most commas that one of the names has in it. */
  commas: number;
  /** The board itself could not be asked. */
  isPartial?: true;
}

const folded = (name: string) => name.trim().toLowerCase();

function linkable(items: Iterable<readonly [string, string]>): Linkable & { ids: Set<string> } {
  const ids = new Set<string>();
  const named = new Map<string, string[]>();
  let commas = 0;
  for (const [id, name] of items) {
    ids.add(id);
    commas = Math.max(commas, name.split(',').length - 1);
    const alike = named.get(folded(name));
    if (alike) alike.push(id);
    else named.set(folded(name), [id]);
  }
  return { ids, named, commas };
}

/** Linked items that are already loaded. */
const known = (column: Column): Linkable => linkable([...linkedItems(column)].map(([id, { name }]) => [id, name]));

/** Items of a board, or of one of its groups. Subitems are linked by their ids alone. */
function onBoard(table: BoardTable, groupId: string | undefined): Linkable {
  const isIn = (row: number) => groupId === undefined || table.group(row) === groupId;
  const rows = table.lines.filter((line): line is number => typeof line === 'number' && isIn(line));
  const found = linkable(rows.map((row) => [table.id(row), String(table.cell(row, 'name') ?? '')]));
  for (const below of table.subitems.values()) for (const row of below) if (isIn(row)) found.ids.add(table.id(row));
  return found;
}

async function read(board: string, here: BoardTable): Promise<BoardTable | null> {
  if (board === here.meta.board.id) return here;
  try {
    const { body } = await request('GET', `/boards/${board}/full`, {
      headers: { Accept: 'application/vnd.apache.arrow.stream' },
    });
    return BoardTable.read(body);
  } catch (failure) {
    if (failure instanceof ApiError) return null;
    throw failure;
  }
}

/** The columns of links that a paste reaches. */
function reached({ shown }: Sheet, { columns }: Cells, texts: readonly (readonly string[])[]): Column[] {
  const isSingle = texts.length === 1 && texts[0]!.length === 1;
  const width = Math.max(0, ...texts.map((line) => line.length));
  const left = columns[0] ?? 0;
  const places = isSingle ? columns : Array.from({ length: width }, (_, at) => left + at);
  return places.flatMap((at) => shown[at]?.column ?? []).filter(isLink);
}

/**
 * Looks up the items that a paste into link columns can refer to, by column ID; `null` if there are no such columns.
 */
export function lookUp(
  sheet: Sheet,
  selected: Cells,
  texts: readonly (readonly string[])[],
): Promise<Map<string, Linkable>> | null {
  const columns = reached(sheet, selected, texts);
  if (columns.length === 0) return null;
  const boards = new Map(
    [...new Set(columns.map(({ settings }) => settings.boardId ?? ''))].map((board) => [
      board,
      read(board, sheet.table),
    ]),
  );
  const found = columns.map(async (column): Promise<[string, Linkable]> => {
    const table = await boards.get(column.settings.boardId ?? '');
    return [column.id, table ? onBoard(table, column.settings.groupId) : { ...known(column), isPartial: true }];
  });
  return Promise.all(found).then((all) => new Map(all));
}

/** The items that a text names, or that a copied cell held: `Mend the sails, Paint the hull`. */
export function parseLinks(
  text: string,
  column: Column,
  from: Linkable = known(column),
  copied: readonly string[] | null = null,
): { value: string[] } | { refused: string } {
  const takesMany = column.settings.many ?? column.type === 'itemLink';
  const taken = (ids: Iterable<string>) => {
    const value = [...new Set(ids)];
    if (value.length > ENTRIES_MAX) return { refused: `${column.title} accepts up to ${ENTRIES_MAX} items.` };
    return takesMany || value.length === 1 ? { value } : { refused: `${column.title} accepts one item.` };
  };
  if (copied && copied.length > 0 && copied.every((id) => from.ids.has(id))) return taken(copied);
  const ids = new Set<string>();
  // A name may have commas in it: the longest that is one counts, and none has more of them than `commas`.
  const line = text.replaceAll('\n', ',');
  const starts = [0, ...Array.from(line.matchAll(/,/g), ({ index }) => index + 1), line.length + 1];
  const between = (at: number, end: number) => line.slice(starts[at], starts[end]! - 1).trim();
  for (let at = 0; at < starts.length - 1;) {
    let end = Math.min(starts.length - 1, at + 1 + from.commas);
    let hits: readonly string[] = [];
    for (; end > at && hits.length === 0; end -= 1) {
      const name = between(at, end);
      hits = from.ids.has(name) ? [name] : (from.named.get(folded(name)) ?? []);
    }
    const next = hits.length > 0 ? end + 1 : at + 1;
    const name = between(at, next);
    if (name !== '' && hits.length === 0)
      return {
        refused: from.isPartial
          ? `Couldn't look up “${name}” for ${column.title}.`
          : `${column.title} has no item “${name}”.`,
      };
    if (hits.length > 1) return { refused: `${hits.length} items are named “${name}”. Choose one in the cell.` };
    for (const hit of hits) ids.add(hit);
    // More are refused, so that nobody waits for the rest to be found.
    if (ids.size > ENTRIES_MAX) break;
    at = next;
  }
  return taken(ids);
}

/** Linked IDs of the copied cells as text; `null` if none is a link cell. */
export function idsOf({ table, lines, shown }: Sheet, { lines: chosen, columns }: Cells): string | null {
  if (!columns.some((at) => shown[at] && isLink(shown[at].column))) return null;
  const ids = chosen.flatMap((line) => {
    const row = lines[line];
    if (typeof row !== 'number') return [];
    const held = columns.map((at): readonly string[] | null => {
      const column = shown[at]?.column;
      const value = column && isLink(column) ? table.cell(row, column.id) : null;
      return isList(value ?? undefined) ? (value as string[]) : null;
    });
    return [held];
  });
  return JSON.stringify(ids);
}

/** Parses these IDs. The clipboard can contain anything. */
export function readIds(text: string): Ids {
  try {
    const ids: unknown = JSON.parse(text);
    const isCell = (cell: unknown) =>
      cell === null || (Array.isArray(cell) && cell.every((id) => typeof id === 'string'));
    return Array.isArray(ids) && ids.every((line) => Array.isArray(line) && line.every(isCell)) ? (ids as Ids) : [];
  } catch {
    return [];
  }
}
