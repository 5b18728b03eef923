/** Changes for pasting, filling, and clearing cells, computed before anything is written. */
import type { Member } from '@shell/members';
import { isReadOnly, type CellValue, type Column } from '../data';
import type { BoardTable } from '../table';
import type { CellChange } from '../outbox/step';
import { parseCell, plain } from './clipboard';
import { NAME, type ShownColumn } from './columns';
import type { Linkable } from './linkPaste';
import type { GridLine } from './lines';
import { readingOf, toldOf, type Reading } from './reading';

/** Items and columns of a table, by line and place. */
export interface Cells {
  lines: readonly number[];
  columns: readonly number[];
}

export interface Sheet {
  table: BoardTable;
  lines: readonly GridLine[];
  shown: readonly ShownColumn[];
  members: readonly Member[];
}

/** A cell that a paste left as it was. */
export interface Refusal {
  where: string;
  why: string;
}

export interface NewItem {
  name: string;
  cells: Record<string, CellValue>;
}

/** Name of pasted items without one. */
export const NEW_NAME = 'New item';

const rowAt = ({ lines }: Sheet, line: number): number | null => {
  const row = lines[line];
  return typeof row === 'number' ? row : null;
};

/** One cell's change to a value. */
function changeOf(sheet: Sheet, line: number, at: number, after: CellValue): CellChange | null {
  const row = rowAt(sheet, line);
  const column = sheet.shown[at]?.column;
  if (row === null || !column || isReadOnly(column)) return null;
  // Files are of their own item; a cell of them can only be emptied this way.
  if (column.type === 'file' && after !== null) return null;
  return { item: sheet.table.id(row), column: column.id, before: sheet.table.cell(row, column.id), after };
}

/** The selected cells as texts. */
export const copied = (sheet: Sheet, { lines, columns }: Cells): string[][] =>
  lines.flatMap((line) => {
    const row = rowAt(sheet, line);
    if (row === null) return [];
    return [
      columns.map((at) =>
        plain(sheet.table.cell(row, sheet.shown[at]!.column.id), sheet.shown[at]!.column, sheet.members),
      ),
    ];
  });

/** Empties cells; names stay. */
export const cleared = (sheet: Sheet, { lines, columns }: Cells): CellChange[] =>
  lines.flatMap((line) =>
    columns.flatMap((at) => (sheet.shown[at]?.column.id === NAME.id ? [] : (changeOf(sheet, line, at, null) ?? []))),
  );

/** Fills all lines with the first line's values; a single line gets those of the item above. */
export function filled(sheet: Sheet, { lines, columns }: Cells): CellChange[] {
  const above = (line: number): number | undefined => {
    for (let at = line - 1; at >= 0; at--) if (typeof sheet.lines[at] === 'number') return at;
    return undefined;
  };
  const source = lines.length === 1 ? above(lines[0]!) : lines[0];
  const row = source === undefined ? null : rowAt(sheet, source);
  if (row === null) return [];
  const targets = lines.filter((line) => line !== source);
  return targets.flatMap((line) =>
    columns.flatMap((at) => changeOf(sheet, line, at, sheet.table.cell(row, sheet.shown[at]!.column.id)) ?? []),
  );
}

/** The same value in one column of several lines. */
export const applied = (sheet: Sheet, lines: readonly number[], at: number, value: CellValue): CellChange[] =>
  lines.flatMap((line) => changeOf(sheet, line, at, value) ?? []);

/** Link data of a paste: items that columns can link to, and IDs copied with the texts. */
export interface PastedLinks {
  from: ReadonlyMap<string, Linkable>;
  ids: readonly (readonly (readonly string[] | null)[])[];
}

/**
 * Changes for pasting texts, starting at the selection's first cell. Lines past the last item become new items. A
 * single text fills all selected cells.
 */
export function pasted(
  sheet: Sheet,
  selected: Cells,
  texts: readonly (readonly string[])[],
  links?: PastedLinks,
): { changes: CellChange[]; added: NewItem[]; refused: Refusal[]; told: string[] } {
  const changes: CellChange[] = [];
  const added: NewItem[] = [];
  const refused: Refusal[] = [];
  const single = texts.length === 1 && texts[0]!.length === 1 ? texts[0]![0]! : null;
  const left = selected.columns[0] ?? 0;
  const readings = new Map<number, { reading: Reading; column: Column }>();
  /** A column that is pasted is read as a whole. */
  const readingAt = (at: number, column: Column): Reading => {
    const known = readings.get(at);
    if (known) return known.reading;
    const reading = readingOf(single === null ? texts.flatMap((cells) => cells[at - left] ?? []) : [single], column);
    readings.set(at, { reading, column });
    return reading;
  };
  const told = () => toldOf([...readings.values()]);
  const take = (
    text: string,
    at: number,
    copied: readonly string[] | null | undefined,
    where: string,
    put: (value: CellValue) => void,
  ) => {
    const column = sheet.shown[at]?.column;
    if (!column) return;
    const outcome = parseCell(
      text,
      column,
      sheet.members,
      { from: links?.from.get(column.id), copied: copied ?? null },
      readingAt(at, column),
    );
    if ('refused' in outcome) refused.push({ where: `${column.title} of ${where}`, why: outcome.refused });
    else put(outcome.value);
  };
  const into = (line: number, at: number, text: string, copied: readonly string[] | null | undefined) => {
    const row = rowAt(sheet, line);
    if (row === null) return;
    take(text, at, copied, String(sheet.table.cell(row, NAME.id) ?? ''), (value) => {
      const change = changeOf(sheet, line, at, value);
      if (change) changes.push(change);
    });
  };
  if (single !== null) {
    for (const line of selected.lines) for (const at of selected.columns) into(line, at, single, links?.ids[0]?.[0]);
    return { changes, added, refused, told: told() };
  }
  const first = selected.lines[0];
  let line = first ?? sheet.lines.length;
  texts.forEach((cells, index) => {
    while (line < sheet.lines.length && typeof sheet.lines[line] !== 'number') line += 1;
    if (line < sheet.lines.length) {
      cells.forEach((text, at) => into(line, left + at, text, links?.ids[index]?.[at]));
      line += 1;
      return;
    }
    const item: NewItem = { name: NEW_NAME, cells: {} };
    cells.forEach((text, at) => {
      const column = sheet.shown[left + at]?.column;
      if (!column || (column.id === NAME.id && text.trim() === '')) return;
      take(text, left + at, links?.ids[index]?.[at], `line ${index + 1}`, (value) => {
        if (column.id === NAME.id) item.name = String(value).trim();
        else if (value !== null) item.cells[column.id] = value;
      });
    });
    added.push(item);
  });
  return { changes, added, refused, told: told() };
}

/**
 * The same changes based on the current values, so that edits since then aren't overwritten unseen; changes to removed
 * items are rejected.
 */
export function landed(
  { table, shown }: Sheet,
  changes: readonly CellChange[],
  now: BoardTable,
): { changes: CellChange[]; refused: Refusal[] } {
  const refused: Refusal[] = [];
  const types = new Map([NAME, ...now.meta.columns].map(({ id, type }) => [id, type]));
  const then = new Map(shown.map(({ column }) => [column.id, column]));
  const left = changes.flatMap((change): CellChange[] => {
    const row = now.row(change.item);
    const column = then.get(change.column);
    const isThere = row !== undefined && types.get(change.column) === column?.type;
    if (isThere) return [{ ...change, before: now.cell(row, change.column) }];
    const before = table.row(change.item);
    const name = before === undefined ? '' : String(table.cell(before, NAME.id) ?? '');
    refused.push({
      where: `${column?.title ?? ''} of ${name}`,
      why: row === undefined ? 'Item not found.' : 'The column has changed.',
    });
    return [];
  });
  return { changes: left, refused };
}
