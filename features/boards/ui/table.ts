/**
 * A full board as the page holds it: the Arrow columns as they arrived, and above them the edits made here that the
 * columns do not hold yet. Cells are read one by one for the rows in view; no object is made for a row.
 */
import { tableFromIPC } from '@uwdata/flechette';
import type { Board, CellValue, Column, Group, Member } from './data';

interface Meta {
  board: Board;
  groups: Group[];
  columns: Column[];
  members: Member[];
}

/** One line of the view: a group's head or an item. */
export type Line = { group: Group; count: number } | number;

interface Edit {
  value: CellValue;
  /** The board's revision that holds it; 0 while it is being saved. */
  revision: number;
}

type Reader = (row: number) => CellValue;

/** A board with its items. */
export class BoardTable {
  readonly meta: Meta;
  readonly lines: readonly Line[];
  private readonly ids: Reader;
  private readonly readers: Map<string, Reader>;
  private readonly edits: ReadonlyMap<string, Edit>;

  private constructor(meta: Meta, lines: readonly Line[], ids: Reader, readers: Map<string, Reader>, edits: ReadonlyMap<string, Edit>) {
    this.meta = meta;
    this.lines = lines;
    this.ids = ids;
    this.readers = readers;
    this.edits = edits;
  }

  /** Reads an Arrow stream of `GET /boards/:id/full`. Edits newer than it stay above it. */
  static read(bytes: ArrayBuffer, before?: BoardTable): BoardTable {
    const table = tableFromIPC(new Uint8Array(bytes));
    const meta = JSON.parse(table.schema.metadata?.get('board') ?? 'null') as Meta | null;
    if (!meta) throw new Error('The board arrived without its description.');
    const readers = new Map<string, Reader>();
    const at = (name: string): Reader => {
      const column = table.getChild(name);
      return (row) => (column?.at(row) ?? null) as CellValue;
    };
    readers.set('name', at('name'));
    for (const column of meta.columns) readers.set(column.id, reader(column, at(column.id)));
    const edits = new Map([...(before?.edits ?? [])].filter(([, edit]) => edit.revision === 0 || edit.revision > meta.board.revision));
    return new BoardTable(meta, arrange(meta.groups, table.numRows, at('groupId')), at('id'), readers, edits);
  }

  /** The item's id at a row. */
  id(row: number): string {
    return this.ids(row) as string;
  }

  /** The value at a row; `name` is a column as well. */
  cell(row: number, column: string): CellValue {
    const edit = this.edits.get(`${this.id(row)}/${column}`);
    return edit ? edit.value : (this.readers.get(column)?.(row) ?? null);
  }

  /** The same board with one cell changed. */
  edited(item: string, column: string, value: CellValue, revision: number): BoardTable {
    const edits = new Map(this.edits).set(`${item}/${column}`, { value, revision });
    return new BoardTable(this.meta, this.lines, this.ids, this.readers, edits);
  }

  /** The same board with an edit taken back. */
  reverted(item: string, column: string): BoardTable {
    const edits = new Map(this.edits);
    edits.delete(`${item}/${column}`);
    return new BoardTable(this.meta, this.lines, this.ids, this.readers, edits);
  }

  /** Number of items. */
  get count(): number {
    return this.lines.length - this.meta.groups.length;
  }
}

/** Groups in their order, each followed by its items in the order in which they arrived. */
function arrange(groups: Group[], rows: number, groupOf: Reader): Line[] {
  const byGroup = new Map<CellValue, number[]>(groups.map((group) => [group.id, []]));
  for (let row = 0; row < rows; row++) byGroup.get(groupOf(row))?.push(row);
  return groups.flatMap((group) => {
    const items = byGroup.get(group.id) ?? [];
    return [{ group, count: items.length } as Line].concat(items);
  });
}

/** Arrow's form of a cell back into the program's. */
function reader(column: Column, at: Reader): Reader {
  switch (column.type) {
    case 'tags':
    case 'people':
      return (row) => {
        const text = at(row);
        return typeof text === 'string' ? (JSON.parse(text) as string[]) : null;
      };
    case 'date':
      return (row) => {
        const ms = at(row);
        return typeof ms === 'number' ? new Date(ms).toISOString().slice(0, 10) : null;
      };
    default:
      return at;
  }
}
