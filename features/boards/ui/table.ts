/**
 * A full board in the page: the Arrow columns as loaded, later changes on top, then local edits that aren't in either yet.
 * Cells are read individually for the visible rows, without creating an object per row.
 */
import { tableFromIPC } from '@uwdata/flechette';
import type { Exact, Schemas } from '@shell/client';
import type { BoardPatch } from '@shell/engine/types';
import type { Member } from '@shell/members';
import { isoDate } from '@shell/dates';
import {
  isList,
  sameValue,
  shownAs,
  type Attachment,
  type Board,
  type CellValue,
  type Column,
  type Group,
} from './data';
import { derivedOf, describeLinks, isLink, relinked, type LinkedBoard, type Relinked } from './links';
import { BY_NUMBER, FIRST, inOrder, PARENT, PLACE, placed, rowBefore, type Places } from './places';

interface Meta {
  board: Board;
  groups: Group[];
  columns: Column[];
  members: Member[];
  /** What is shown of the boards that cells link to. */
  linked?: readonly LinkedBoard[];
  /** What these boards are named by when changes are asked for. */
  linkedAt?: Relinked['linkedAt'];
}

/** One line of the view: a group's head or an item. */
export type Line = { group: Group; count: number } | number;

/**
 * Unsaved changes: cells (`name`, `groupId`, the parent, and the position are columns too), added items, and removed
 * items.
 */
export interface OnItsWay {
  cells: readonly { item: string; column: string; after: CellValue }[];
  add: readonly {
    id: string;
    name: string;
    groupId?: string;
    parentId?: string;
    cells: Readonly<Record<string, CellValue>>;
  }[];
  archive: readonly string[];
  remove: readonly string[];
}

/** Ids that are read at once while nothing waits: a part of a frame's time. */
export const IDS_PER_TURN = 5_000;

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
  /** The ids of the first rows, as far as they were read. */
  private readonly list: string[] = [];
  private readonly rowsById = new Map<string, number>();
  private readonly linked = new Map<string, ReadonlySet<string>>();

  constructor(
    bytes: ArrayBuffer,
    rows: number,
    id: Reader,
    group: Reader,
    parent: Reader | null,
    readers: Map<string, Reader>,
  ) {
    this.parent = parent;
    this.bytes = bytes;
    this.rows = rows;
    this.idAt = id;
    this.group = group;
    this.readers = readers;
  }

  id(row: number): string {
    return this.list[row] ?? (this.idAt(row) as string);
  }

  /** Reads the ids of so many rows more; whether all are read then. */
  learn(count: number): boolean {
    const end = Math.min(this.rows, this.list.length + count);
    for (let row = this.list.length; row < end; row++) {
      const id = this.idAt(row) as string;
      this.list.push(id);
      this.rowsById.set(id, row);
    }
    return end === this.rows;
  }

  /** The row of an item, if it is among them. Which ids there are is read by then at the latest. */
  row(id: string): number | undefined {
    this.learn(this.rows);
    return this.rowsById.get(id);
  }

  readerOf(column: string): Reader {
    return this.readers.get(column) ?? (() => null);
  }

  cell(row: number, column: string): CellValue {
    return this.readers.get(column)?.(row) ?? null;
  }

  /** Ids that the cells of a column hold. */
  linkedBy(column: string): ReadonlySet<string> {
    let ids = this.linked.get(column);
    if (!ids) {
      ids = idsIn(Array.from({ length: this.rows }, (_, row) => this.cell(row, column)));
      this.linked.set(column, ids);
    }
    return ids;
  }

  /** Whether the cells of a column that was added since are known: they are empty, or what every row says of itself. */
  takes({ id, type }: Column): boolean {
    const own = type === 'createdAt' || type === 'updatedAt' ? this.readers.get(type) : undefined;
    if (own && !this.readers.has(id)) this.readers.set(id, own);
    return this.readers.has(id) || (type !== 'createdBy' && type !== 'updatedBy');
  }
}

const idsIn = (cells: readonly CellValue[]): ReadonlySet<string> =>
  new Set(cells.flatMap((cell) => (isList(cell) ? cell : [])));

/** Changes since the columns were loaded: current, added, and removed items. */
interface Patches {
  items: ReadonlyMap<string, PatchedItem>;
  /** Every item that was added, in the order in which they came: one keeps its row when others come, or it goes. */
  added: readonly string[];
  gone: ReadonlySet<string>;
  places: Places;
}

type PatchedItem = Pick<
  Exact<Schemas['ItemRecord'], { cells: Record<string, CellValue> }>,
  'id' | 'groupId' | 'name' | 'position' | 'createdAt' | 'updatedAt' | 'parentId' | 'cells'
>;

/** Displayed changes since the board was read. */
export type Changed = Omit<Meta, keyof Relinked> & { items: PatchedItem[] } & Pick<
    Schemas['BoardChanges'],
    'moved' | 'removed' | 'reload'
  > &
  Partial<Relinked>;

/** Marks of the loaded data of linked boards, as sent to the server. */
export const marksOf = ({ meta }: BoardTable) =>
  Object.entries(meta.linkedAt ?? {})
    .map((mark) => mark.join(':'))
    .join(',');

const UNPATCHED: Patches = { items: new Map(), added: [], gone: new Set(), places: BY_NUMBER };

/**
 * Display order: items in the order shared by all groups, groups with their items, and the subitems of each item that
 * has some.
 */
interface Arranged {
  items: readonly number[];
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
  /** The places of the items added since: there may be many. */
  private addedAt: ReadonlyMap<string, number> | undefined;
  private touched: Set<number> | undefined;
  /** Items that the last reading brought, of a board that was read whole all of them. */
  readonly news: number;

  private constructor(
    meta: Meta,
    arranged: Arranged,
    base: Base,
    patches: Patches,
    news: number,
    edits: ReadonlyMap<string, CellValue> = new Map(),
  ) {
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
    if (!meta) throw new Error('The board data is incomplete.');
    const readers = new Map<string, Reader>();
    const at = (name: string): Reader => {
      const column = table.getChild(name);
      return (row) => (column?.at(row) ?? null) as CellValue;
    };
    for (const name of ['name', 'createdAt', 'updatedAt']) readers.set(name, at(name));
    for (const column of meta.columns) readers.set(column.id, reader(column, at(column.id)));
    const base = new Base(
      bytes,
      table.numRows,
      at('id'),
      at('groupId'),
      table.getChild('parentId') ? at('parentId') : null,
      readers,
    );
    return new BoardTable(meta, arrange(meta.groups, base, UNPATCHED), base, UNPATCHED, table.numRows);
  }

  /** The same board with what has changed; `null` where it must be read whole instead. */
  patched(changed: Changed): BoardTable | null {
    const types = new Map(this.meta.columns.map((column) => [column.id, shownAs(column).type]));
    const isKnown = (column: Column) =>
      (types.get(column.id) ?? shownAs(column).type) === shownAs(column).type && this.base.takes(column);
    if (changed.reload || !changed.columns.every(isKnown)) return null;
    const items = new Map(this.patches.items);
    const gone = new Set(this.patches.gone);
    for (const id of changed.removed) {
      gone.add(id);
      items.delete(id);
    }
    const known = new Set(this.patches.added);
    const news = changed.items
      .filter((item) => !known.has(item.id) && this.base.row(item.id) === undefined)
      .sort((a, b) => a.position - b.position);
    for (const item of changed.items) {
      items.set(item.id, item);
      gone.delete(item.id);
    }
    const added = [...this.patches.added, ...news.map((item) => item.id)];
    const places = this.placesOf(changed.moved, added);
    if (!places) return null;
    const patches = { items, added, gone, places };
    const members = new Map([...this.meta.members, ...changed.members].map((member) => [member.id, member]));
    const { board } = changed;
    // What is as it was stays the same object: all that is drawn from it would be drawn again.
    const columns = sameValue(changed.columns, this.meta.columns) ? this.meta.columns : changed.columns;
    const groups = sameValue(changed.groups, this.meta.groups) ? this.meta.groups : changed.groups;
    const stands =
      news.length === 0 &&
      changed.removed.length === 0 &&
      changed.moved.length === 0 &&
      groups === this.meta.groups &&
      changed.items.every((item) => this.standsAs(item));
    const meta = { board, groups, columns, members: [...members.values()], ...this.relinked(changed, items) };
    return new BoardTable(
      meta,
      stands ? this.arranged : arrange(groups, this.base, patches),
      this.base,
      patches,
      changed.items.length + changed.removed.length,
    );
  }

  /** Whether an item stands already where it stands now. */
  private standsAs({ id, groupId, parentId }: PatchedItem): boolean {
    const row = this.row(id);
    return row !== undefined && this.group(row) === groupId && this.parent(row) === (parentId ?? null);
  }

  /** The same board with everyone whom its cells may name: what is told of a board has no addresses, by which two of one name differ. */
  knowing(members: Member[]): BoardTable {
    return new BoardTable({ ...this.meta, members }, this.arranged, this.base, this.patches, this.news, this.edits);
  }

  /** What is shown of linked boards once that has changed. */
  private relinked(
    { columns, linked = [], linkedAt = this.meta.linkedAt }: Changed,
    items: ReadonlyMap<string, PatchedItem>,
  ): Pick<Meta, keyof Relinked> {
    const held = this.meta.linked ?? [];
    if (!linkedAt) return held.length > 0 ? { linked: held } : {};
    const links = columns.filter(isLink);
    let changed: ReadonlySet<string> | undefined;
    const isLinked = (id: string) => {
      changed ??= idsIn([...items.values()].flatMap(({ cells }) => links.map((column) => cells[column.id] ?? null)));
      return changed.has(id) || links.some((column) => this.base.linkedBy(column.id).has(id));
    };
    const now = relinked(held, { linked, linkedAt }, isLinked);
    return now.length > 0 ? { linked: now, linkedAt } : {};
  }

  /** Where the rows stand once these were moved; `null` where one of them is not known. */
  private placesOf(moved: Changed['moved'], added: readonly string[]): Places | null {
    if (moved.length === 0) return this.patches.places;
    const addedAt = new Map(added.map((id, at) => [id, this.base.rows + at]));
    const rowOf = (item: string) => this.base.row(item) ?? addedAt.get(item);
    const moves: [number, number][] = [];
    for (const { id, after } of moved) {
      const [row, behind] = [rowOf(id), typeof after === 'string' ? rowOf(after) : FIRST];
      if (row === undefined || behind === undefined) return null;
      moves.push([row, behind]);
    }
    return placed(this.patches.places, moves);
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

  /** Reads a column of many rows: only those that something lies above are asked for it. */
  reader(column: string): Reader {
    const { rows } = this.base;
    if (derivedOf(this.meta).has(column)) return (row) => this.cell(row, column);
    const touched = this.touchedRows();
    const base = this.base.readerOf(column);
    return (row) => (row >= rows || touched.has(row) ? this.cell(row, column) : base(row));
  }

  /** Reads the groups of many rows in the same way. */
  groups(): Reader {
    const { rows, group } = this.base;
    const touched = this.touchedRows();
    return (row) => (row >= rows || touched.has(row) ? this.group(row) : group(row));
  }

  /** Rows of the columns as they arrived that hold something else now. */
  private touchedRows(): ReadonlySet<number> {
    if (!this.touched) {
      this.touched = new Set();
      const note = (id: string) => {
        const row = this.base.row(id);
        if (row !== undefined) this.touched!.add(row);
      };
      for (const id of this.patches.items.keys()) note(id);
      for (const key of this.edits.keys()) note(key.slice(0, key.indexOf('/')));
    }
    return this.touched;
  }

  /** The same board with what is on its way, in its order. */
  with(steps: readonly OnItsWay[]): BoardTable {
    if (steps.length === 0) return this;
    const edits = new Map(this.edits);
    const items = new Map(this.patches.items);
    const gone = new Set(this.patches.gone);
    const added = [...this.patches.added];
    let { places } = this.patches;
    let isArranged = true;
    const groupOf = (item: string | undefined) => {
      const row = item === undefined || items.has(item) ? undefined : this.row(item);
      return row === undefined ? items.get(item ?? '')?.groupId : this.group(row);
    };
    const addedBelow = new Map<string, readonly string[]>();
    /** Subitems go with their item. */
    const below = (item: string) => [
      ...(this.subitems.get(item) ?? []).map((row) => this.id(row)),
      ...(addedBelow.get(item) ?? []),
    ];
    for (const { cells, add, archive, remove } of steps) {
      for (const {
        id,
        name,
        parentId,
        groupId = groupOf(parentId) ?? this.meta.groups[0]?.id ?? '',
        cells: own,
      } of add) {
        if (items.has(id) || this.base.row(id) !== undefined) continue;
        const at = new Date().toISOString();
        items.set(id, {
          id,
          groupId,
          ...(parentId === undefined ? {} : { parentId }),
          name,
          position: 0,
          createdAt: at,
          updatedAt: at,
          cells: own,
        });
        added.push(id);
        if (parentId !== undefined) addedBelow.set(parentId, [...(addedBelow.get(parentId) ?? []), id]);
        isArranged = false;
      }
      for (const { item, column, after } of cells) {
        if (column === PLACE) {
          const rowOf = (id: string) =>
            gone.has(id)
              ? undefined
              : (this.base.row(id) ?? (added.includes(id) ? this.base.rows + added.indexOf(id) : undefined));
          places = beside(places, rowOf(item), (after as string[]).map(rowOf));
          isArranged &&= places === this.patches.places;
          continue;
        }
        if (column !== 'groupId' && column !== PARENT) {
          edits.set(`${item}/${column}`, after);
          continue;
        }
        const held = items.get(item) ?? this.whole(item);
        // A subitem stands in its parent's group, and stays in it as an item of its own.
        const parentId = typeof after === 'string' ? after : undefined;
        if (held)
          items.set(
            item,
            column === PARENT
              ? { ...held, parentId, groupId: groupOf(parentId) ?? held.groupId }
              : { ...held, groupId: String(after) },
          );
        isArranged = false;
      }
      for (const id of [...archive, ...remove].flatMap((item) => [item, ...below(item)])) {
        gone.add(id);
        items.delete(id);
        isArranged = false;
      }
    }
    if (isArranged) return new BoardTable(this.meta, this.arranged, this.base, this.patches, this.news, edits);
    const patches = { items, added, gone, places };
    return new BoardTable(
      this.meta,
      arrange(this.meta.groups, this.base, patches),
      this.base,
      patches,
      this.news,
      edits,
    );
  }

  /** An item as it arrived, with all its cells. */
  private whole(id: string): PatchedItem | undefined {
    const row = this.row(id);
    if (row === undefined) return undefined;
    // The stream has numbers for them.
    const instant = (name: string) => new Date(Number(this.base.cell(row, name))).toISOString();
    const read = (of: readonly Column[], key: 'id' | 'type') =>
      Object.fromEntries(of.map((column) => [column[key], this.base.cell(row, column.id)]));
    const authors = read(
      this.meta.columns.filter(({ type }) => type === 'createdBy' || type === 'updatedBy'),
      'type',
    );
    const cells = read(this.meta.columns, 'id');
    const parentId = this.parent(row);
    return {
      ...authors,
      id,
      groupId: this.group(row),
      ...(parentId ? { parentId } : {}),
      name: String(this.base.cell(row, 'name') ?? ''),
      position: 0,
      createdAt: instant('createdAt'),
      updatedAt: instant('updatedAt'),
      cells,
    };
  }

  /** The row of an item; `undefined` where there is none. */
  row(item: string): number | undefined {
    if (this.patches.gone.has(item)) return undefined;
    const row = this.base.row(item);
    if (row !== undefined) return row;
    this.addedAt ??= new Map(this.patches.added.map((id, at) => [id, at]));
    const at = this.addedAt.get(item);
    return at === undefined ? undefined : this.base.rows + at;
  }

  /** The item that one stands behind, of whatever group; `null` where it is the first. */
  standsBehind(item: string): string | null {
    const row = this.row(item);
    const behind = row === undefined ? FIRST : rowBefore(this.patches.places, row);
    return behind === FIRST ? null : this.id(behind);
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

  /** Makes a part of what the first change of the board needs; whether that is all. */
  prepare(): boolean {
    return this.base.learn(IDS_PER_TURN);
  }

  /** The stream that the board was read from; a board that was read anew has another. */
  get bytes(): ArrayBuffer {
    return this.base.bytes;
  }

  /** What has changed since, for the engine; `null` where nothing has. */
  patch(): BoardPatch | null {
    const { items, gone, places } = this.patches;
    if (this.patches === UNPATCHED && this.edits.size === 0) return null;
    const edited = new Set([...this.edits.keys()].map((key) => key.slice(0, key.indexOf('/'))));
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
        return {
          row,
          groupId: this.group(row),
          name,
          createdAt: at(row, id, 'createdAt'),
          updatedAt: at(row, id, 'updatedAt'),
          parentId: this.parent(row),
          cells,
        };
      }),
      gone: [...gone].flatMap((id) => this.base.row(id) ?? []),
      moved: [...places].map(([row, rows]) => [row === FIRST ? null : row, rows]),
    };
  }

  /** Items in the order that all groups and views share, without subitems. */
  get items(): readonly number[] {
    return this.arranged.items;
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
    return this.arranged.items.length;
  }
}

/** Moves a row after the first neighbor, or before the second if the first doesn't exist. */
function beside(places: Places, row: number | undefined, [after, before]: (number | undefined)[]): Places {
  const behind = after ?? (before === undefined ? undefined : rowBefore(places, before));
  if (row === undefined || behind === undefined || behind === row || rowBefore(places, row) === behind) return places;
  return placed(places, [[row, behind]]);
}

/** Groups in order with their items; subitems separately by parent. */
function arrange(groups: Group[], base: Base, { items, added, gone, places }: Patches): Arranged {
  const subitems = new Map<string, number[]>();
  const under = (parent: string, row: number) => {
    const rows = subitems.get(parent);
    if (rows) rows.push(row);
    else subitems.set(parent, [row]);
  };
  const own: number[] = [];
  const byGroup = new Map<CellValue, number[]>(groups.map((group) => [group.id, []]));
  // Asked by row: the ids of all the others need not be read.
  const patched = new Map<number, PatchedItem | null>();
  for (const [id, item] of items) {
    const row = base.row(id);
    if (row !== undefined) patched.set(row, item);
  }
  for (const id of gone) {
    const row = base.row(id);
    if (row !== undefined) patched.set(row, null);
  }
  inOrder(base.rows + added.length, places, (row) => {
    const patch = row < base.rows ? patched.get(row) : (items.get(added[row - base.rows]!) ?? null);
    if (patch === null) return;
    const parent = patch ? patch.parentId : base.parent?.(row);
    if (parent) return under(parent as string, row);
    const ofGroup = byGroup.get(patch?.groupId ?? base.group(row));
    if (!ofGroup) return;
    ofGroup.push(row);
    own.push(row);
  });
  const lines = groups.flatMap((group) => {
    const rows = byGroup.get(group.id) ?? [];
    return [{ group, count: rows.length } as Line].concat(rows);
  });
  return { items: own, lines, subitems };
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
        if (typeof ms !== 'number') return null;
        let text = days.get(ms);
        if (text === undefined) days.set(ms, (text = isoDate(ms)));
        return text;
      };
    case 'timeline':
      return (row) => {
        const span = at(row) as unknown as { from: number; to: number } | null;
        return span ? { from: isoDate(span.from), to: isoDate(span.to) } : null;
      };
    default:
      return at;
  }
}

/** Days as they were written already: a board has far fewer of them than cells. */
const days = new Map<number, string>();
