/**
 * A full board as the page holds it: the Arrow columns as they arrived, above them what has changed since, and above that
 * the edits made here that neither holds yet. Cells are read one by one for the rows in view; no object is made for a row.
 */
import { tableFromIPC } from '@uwdata/flechette';
import type { BoardPatch } from '@shell/engine/types';
import { shownAs, type Attachment, type Board, type CellValue, type Column, type Group, type Member } from './data';
import { derivedOf, describeLinks, outdates, type LinkedBoard } from './links';

interface Meta {
  board: Board;
  groups: Group[];
  columns: Column[];
  members: Member[];
  /** What is shown of the boards that cells link to. */
  linked?: LinkedBoard[];
}

/** One line of the view: a group's head or an item. */
export type Line = { group: Group; count: number } | number;

/** What is on its way to the program: cells (`name` and `groupId` are columns as well), items that are added, and items that go. */
export interface OnItsWay {
  cells: readonly { item: string; column: string; after: CellValue }[];
  add: readonly { id: string; name: string; groupId?: string; cells: Readonly<Record<string, CellValue>> }[];
  archive: readonly string[];
  remove: readonly string[];
}

type Reader = (row: number) => CellValue;

/** The columns as they arrived, by row. */
class Base {
  /** The stream itself. */
  readonly bytes: ArrayBuffer;
  readonly rows: number;
  readonly group: Reader;
  /** Of each row the item that it is a subitem of; nothing where the board has no subitems. */
  readonly parent: Reader | null;
  private readonly idAt: Reader;
  private readonly readers: Map<string, Reader>;
  private list?: string[];
  private rowsById?: Map<string, number>;

  constructor(bytes: ArrayBuffer, rows: number, id: Reader, group: Reader, parent: Reader | null, readers: Map<string, Reader>) {
    this.parent = parent;
    this.bytes = bytes;
    this.rows = rows;
    this.idAt = id;
    this.group = group;
    this.readers = readers;
  }

  id(row: number): string {
    return this.list?.[row] ?? (this.idAt(row) as string);
  }

  /** The row of an item, if it is among them. What that takes is made at the first change of the board, and not before. */
  row(id: string): number | undefined {
    this.list ??= Array.from({ length: this.rows }, (_, row) => this.idAt(row) as string);
    this.rowsById ??= new Map(this.list.map((held, row) => [held, row]));
    return this.rowsById.get(id);
  }

  cell(row: number, column: string): CellValue {
    return this.readers.get(column)?.(row) ?? null;
  }
}

/** What changed since the columns arrived: items as they are now, those that were added, and those that are gone. */
interface Patches {
  items: ReadonlyMap<string, PatchedItem>;
  /** Every item that was added, in the order in which they came: one keeps its row when others come, or it goes. */
  added: readonly string[];
  gone: ReadonlySet<string>;
}

interface PatchedItem {
  id: string;
  groupId: string;
  name: string;
  position: number;
  createdAt: string;
  updatedAt: string;
  parentId?: string;
  cells: Readonly<Record<string, CellValue>>;
}

/** The answer of `GET /boards/:id/changed`. */
export interface Changed extends Meta {
  items: readonly PatchedItem[];
  moved: readonly string[];
  removed: readonly string[];
  reload: boolean;
}

const UNPATCHED: Patches = { items: new Map(), added: [], gone: new Set() };

/** What stands where: groups with their items, and the subitems of each item that has some, in order. */
interface Arranged {
  lines: readonly Line[];
  subitems: ReadonlyMap<string, readonly number[]>;
}

/** A board with its items. Rows up to those of the columns are theirs; the rows behind are items added since. */
export class BoardTable {
  readonly meta: Meta;
  private readonly arranged: Arranged;
  private readonly base: Base;
  private readonly patches: Patches;
  private readonly edits: ReadonlyMap<string, CellValue>;
  /** Items that the last reading brought, of a board that was read whole all of them. */
  readonly news: number;

  private constructor(meta: Meta, arranged: Arranged, base: Base, patches: Patches, news: number, edits: ReadonlyMap<string, CellValue> = new Map()) {
    this.meta = meta;
    describeLinks(meta);
    this.arranged = arranged;
    this.base = base;
    this.patches = patches;
    this.news = news;
    this.edits = edits;
  }

  /** Reads an Arrow stream of `GET /boards/:id/full`. */
  static read(bytes: ArrayBuffer): BoardTable {
    const table = tableFromIPC(new Uint8Array(bytes));
    const meta = JSON.parse(table.schema.metadata?.get('board') ?? 'null') as Meta | null;
    if (!meta) throw new Error('The board arrived without its description.');
    const readers = new Map<string, Reader>();
    const at = (name: string): Reader => {
      const column = table.getChild(name);
      return (row) => (column?.at(row) ?? null) as CellValue;
    };
    for (const name of ['name', 'createdAt', 'updatedAt']) readers.set(name, at(name));
    for (const column of meta.columns) readers.set(column.id, reader(column, at(column.id)));
    const base = new Base(bytes, table.numRows, at('id'), at('groupId'), table.getChild('parentId') ? at('parentId') : null, readers);
    return new BoardTable(meta, arrange(meta.groups, base, UNPATCHED), base, UNPATCHED, table.numRows);
  }

  /** The same board with what has changed; `null` where it must be read whole instead. */
  patched(changed: Changed): BoardTable | null {
    const { columns } = this.meta;
    const isAlike = (column: Column, before: Column) => column.id === before.id && shownAs(column).type === shownAs(before).type;
    const same = changed.columns.length === columns.length && changed.columns.every((column, at) => isAlike(column, columns[at]!));
    if (changed.reload || changed.moved.length > 0 || !same || outdates(this.meta, changed)) return null;
    const items = new Map(this.patches.items);
    const gone = new Set(this.patches.gone);
    for (const id of changed.removed) {
      gone.add(id);
      items.delete(id);
    }
    const known = new Set(this.patches.added);
    const added = changed.items.filter((item) => !known.has(item.id) && this.base.row(item.id) === undefined).sort((a, b) => a.position - b.position);
    for (const item of changed.items) {
      items.set(item.id, item);
      gone.delete(item.id);
    }
    const patches = { items, added: [...this.patches.added, ...added.map((item) => item.id)], gone };
    const members = new Map([...this.meta.members, ...changed.members].map((member) => [member.id, member]));
    const meta = { board: changed.board, groups: changed.groups, columns: changed.columns, members: [...members.values()], ...(this.meta.linked ? { linked: this.meta.linked } : {}) };
    return new BoardTable(meta, arrange(meta.groups, this.base, patches), this.base, patches, changed.items.length + changed.removed.length);
  }

  /** The item's id at a row. */
  id(row: number): string {
    return row < this.base.rows ? this.base.id(row) : this.patches.added[row - this.base.rows]!;
  }

  /** The value at a row; `name` is a column as well. */
  cell(row: number, column: string): CellValue {
    const id = this.id(row);
    const edit = this.edits.get(`${id}/${column}`);
    if (edit !== undefined) return edit;
    const patch = this.patches.items.get(id);
    const derived = derivedOf(this.meta).get(column);
    if (derived) return derived((other) => this.cell(row, other), patch, this.base.cell(row, column));
    if (patch) return column === 'name' ? patch.name : (patch.cells[column] ?? null);
    return this.base.cell(row, column);
  }

  /** The same board with what is on its way, in its order. */
  with(steps: readonly OnItsWay[]): BoardTable {
    if (steps.length === 0) return this;
    const edits = new Map(this.edits);
    const items = new Map(this.patches.items);
    const gone = new Set(this.patches.gone);
    const added = [...this.patches.added];
    let isArranged = true;
    for (const { cells, add, archive, remove } of steps) {
      for (const { id, name, groupId = this.meta.groups[0]?.id ?? '', cells: own } of add) {
        if (items.has(id) || this.base.row(id) !== undefined) continue;
        const at = new Date().toISOString();
        items.set(id, { id, groupId, name, position: 0, createdAt: at, updatedAt: at, cells: own });
        added.push(id);
        isArranged = false;
      }
      for (const { item, column, after } of cells) {
        if (column !== 'groupId') {
          edits.set(`${item}/${column}`, after);
          continue;
        }
        const held = items.get(item) ?? this.whole(item);
        if (held) items.set(item, { ...held, groupId: String(after) });
        isArranged = false;
      }
      for (const id of [...archive, ...remove]) {
        gone.add(id);
        items.delete(id);
        isArranged = false;
      }
    }
    if (isArranged) return new BoardTable(this.meta, this.arranged, this.base, this.patches, this.news, edits);
    const patches = { items, added, gone };
    return new BoardTable(this.meta, arrange(this.meta.groups, this.base, patches), this.base, patches, this.news, edits);
  }

  /** An item as it arrived, with all its cells. */
  private whole(id: string): PatchedItem | undefined {
    const row = this.row(id);
    if (row === undefined) return undefined;
    const text = (name: string) => String(this.base.cell(row, name) ?? '');
    const cells = Object.fromEntries(this.meta.columns.map((column) => [column.id, this.base.cell(row, column.id)]));
    const parentId = this.parent(row);
    return { id, groupId: this.group(row), ...(parentId ? { parentId } : {}), name: text('name'), position: 0, createdAt: text('createdAt'), updatedAt: text('updatedAt'), cells };
  }

  /** The row of an item; `undefined` where there is none. */
  row(item: string): number | undefined {
    if (this.patches.gone.has(item)) return undefined;
    const row = this.base.row(item);
    if (row !== undefined) return row;
    const at = this.patches.added.indexOf(item);
    return at < 0 ? undefined : this.base.rows + at;
  }

  /** The group that an item stands in. */
  group(row: number): string {
    return this.patches.items.get(this.id(row))?.groupId ?? (this.base.group(row) as string);
  }

  /** The item that one is a subitem of; `null` where it is none. */
  parent(row: number): string | null {
    const patch = this.patches.items.get(this.id(row));
    return (patch ? patch.parentId : (this.base.parent?.(row) as string | null)) ?? null;
  }

  /** The stream that the board was read from; a board that was read anew has another. */
  get bytes(): ArrayBuffer {
    return this.base.bytes;
  }

  /** What has changed since, for the engine; `null` where nothing has. */
  patch(): BoardPatch | null {
    const { items, gone } = this.patches;
    const edited = new Set([...this.edits.keys()].map((key) => key.slice(0, key.indexOf('/'))));
    if (items.size === 0 && gone.size === 0 && edited.size === 0) return null;
    const { board, groups, columns, members, linked } = this.meta;
    const ids = [...new Set([...items.keys(), ...edited])].filter((id) => !gone.has(id));
    const at = (row: number, id: string, name: 'createdAt' | 'updatedAt') => {
      const item = items.get(id);
      return item ? Date.parse(item[name]) || 0 : Number(this.base.cell(row, name) ?? 0);
    };
    return {
      head: { board: { id: board.id, name: board.name }, groups, columns, members, ...(linked ? { linked } : {}) },
      items: ids.flatMap((id) => {
        const row = this.row(id);
        if (row === undefined) return [];
        const cells: Record<string, CellValue> = {};
        for (const column of columns) {
          const value = this.cell(row, column.id);
          const isInstant = column.type === 'createdAt' || column.type === 'updatedAt';
          cells[column.id] = isInstant && typeof value === 'string' ? Date.parse(value) || 0 : value;
        }
        const name = String(this.cell(row, 'name') ?? '');
        return { row, groupId: this.group(row), name, createdAt: at(row, id, 'createdAt'), updatedAt: at(row, id, 'updatedAt'), parentId: this.parent(row), cells };
      }),
      gone: [...gone].flatMap((id) => this.base.row(id) ?? []),
    };
  }

  /** Groups and their items, without subitems. */
  get lines(): readonly Line[] {
    return this.arranged.lines;
  }

  /** The rows of the subitems of each item that has some, by its id. */
  get subitems(): ReadonlyMap<string, readonly number[]> {
    return this.arranged.subitems;
  }

  /** Number of items, without subitems. */
  get count(): number {
    return this.lines.length - this.meta.groups.length;
  }
}

/** Groups in their order, each followed by its items in the order in which they stand; subitems apart, by their parents. */
function arrange(groups: Group[], base: Base, { items, added, gone }: Patches): Arranged {
  const subitems = new Map<string, number[]>();
  const under = (parent: string, row: number) => {
    const rows = subitems.get(parent);
    if (rows) rows.push(row);
    else subitems.set(parent, [row]);
  };
  const byGroup = new Map<CellValue, number[]>(groups.map((group) => [group.id, []]));
  const isPatched = items.size > 0 || gone.size > 0;
  for (let row = 0; row < base.rows; row++) {
    const id = isPatched ? base.id(row) : '';
    if (isPatched && gone.has(id)) continue;
    const patch = items.get(id);
    const parent = patch ? patch.parentId : base.parent?.(row);
    if (parent) under(parent as string, row);
    else byGroup.get(patch?.groupId ?? base.group(row))?.push(row);
  }
  added.forEach((id, at) => {
    const item = items.get(id);
    if (item?.parentId) under(item.parentId, base.rows + at);
    else if (item) byGroup.get(item.groupId)?.push(base.rows + at);
  });
  const lines = groups.flatMap((group) => {
    const rows = byGroup.get(group.id) ?? [];
    return [{ group, count: rows.length } as Line].concat(rows);
  });
  return { lines, subitems };
}

/** Arrow's form of a cell back into the program's. */
function reader(column: Column, at: Reader): Reader {
  switch (shownAs(column).type) {
    case 'tags':
    case 'people':
    case 'itemLink':
    case 'sprint':
      return (row) => {
        const text = at(row);
        return typeof text === 'string' ? (JSON.parse(text) as string[]) : null;
      };
    case 'file':
      return (row) => {
        const text = at(row);
        return typeof text === 'string' ? (JSON.parse(text) as Attachment[]) : null;
      };
    case 'date':
      return (row) => {
        const ms = at(row);
        return typeof ms === 'number' ? day(ms) : null;
      };
    case 'timeline':
      return (row) => {
        const span = at(row) as unknown as { from: number; to: number } | null;
        return span ? { from: day(span.from), to: day(span.to) } : null;
      };
    default:
      return at;
  }
}

/** A day as the program writes it; years before 1000 have four digits too. */
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
