import type {
  BoardHead,
  BoardInfo,
  BoardPatch,
  EngineFailure,
  Items,
  ItemsQuery,
  Mapping,
  Query,
  QueryOfWidgets,
  ViewAnswer,
  ViewQuery,
  ViewRows,
} from './types';

interface Exports {
  memory: WebAssembly.Memory;
  engine_alloc(length: number): number;
  engine_free(pointer: number, length: number): void;
  engine_load(pointer: number, length: number): number;
  engine_drop(pointer: number, length: number): number;
  engine_query(pointer: number, length: number): number;
  engine_ask(pointer: number, length: number, widgets: number, widgetsLength: number, known: number): number;
  engine_items(pointer: number, length: number): number;
  engine_auto_map(pointer: number, length: number): number;
  engine_history(pointer: number, length: number): number;
  engine_patch(pointer: number, length: number): number;
  engine_view(pointer: number, length: number): number;
}

/** The engine's module with its memory: bytes in, JSON out. */
export class EngineModule {
  private readonly exports: Exports;
  /** The widgets that were asked for last, which lie in the memory until others are. */
  private widgets = { text: '', pointer: 0, length: 0 };

  constructor(instance: WebAssembly.Instance) {
    this.exports = instance.exports as unknown as Exports;
  }

  load(board: Uint8Array): { board: BoardInfo; head: BoardHead } | EngineFailure {
    const loaded = JSON.parse(this.text(this.exports.engine_load, board)) as
      { board: BoardInfo; head: Partial<BoardHead> & Omit<BoardHead, 'linked'> } | EngineFailure;
    if ('error' in loaded) return loaded;
    const { board: record, groups, columns, linked = [] } = loaded.head;
    return {
      board: loaded.board,
      head: { board: record, groups, columns, linked: linked.map(({ boardId, columns }) => ({ boardId, columns })) },
    };
  }

  drop(id: string): boolean {
    return this.lend(new TextEncoder().encode(id), this.exports.engine_drop) === 1;
  }

  /** The answer's JSON as the engine writes it. */
  queryText(query: string): string {
    return this.text(this.exports.engine_query, new TextEncoder().encode(query));
  }

  /** The JSON of a `ToldAnswer`, or of what failed; `widgets` is that of a query's widgets, `known` the number that was told last. */
  ask(query: QueryOfWidgets, widgets: string, known: number): string {
    if (widgets !== this.widgets.text) {
      if (this.widgets.length > 0) this.exports.engine_free(this.widgets.pointer, this.widgets.length);
      const bytes = new TextEncoder().encode(widgets);
      this.widgets = { text: widgets, pointer: this.put(bytes), length: bytes.length };
    }
    const { pointer, length } = this.widgets;
    const call = (at: number, of: number) => this.exports.engine_ask(at, of, pointer, length, known);
    return this.text(call, new TextEncoder().encode(JSON.stringify(query)));
  }

  autoMap(boards: string[], widget: { id: string; kind: string }): Mapping | EngineFailure {
    const bytes = new TextEncoder().encode(JSON.stringify({ boards, widget }));
    return JSON.parse(this.text(this.exports.engine_auto_map, bytes)) as Mapping | EngineFailure;
  }

  /** The items behind a widget of a query. */
  items(query: Query, items: ItemsQuery): Items | EngineFailure {
    const bytes = new TextEncoder().encode(JSON.stringify({ query, items }));
    return JSON.parse(this.text(this.exports.engine_items, bytes)) as Items | EngineFailure;
  }

  /** Takes what is remembered of boards, for the queries that name it. */
  setHistory(name: string, history: unknown): Record<string, never> | EngineFailure {
    const bytes = new TextEncoder().encode(JSON.stringify({ name, history }));
    return JSON.parse(this.text(this.exports.engine_history, bytes)) as Record<string, never> | EngineFailure;
  }

  /** Lays what has changed above a board. */
  patch(patch: BoardPatch): Record<string, never> | EngineFailure {
    const bytes = new TextEncoder().encode(JSON.stringify(patch));
    return JSON.parse(this.text(this.exports.engine_patch, bytes)) as Record<string, never> | EngineFailure;
  }

  view(query: ViewQuery): ViewRows | EngineFailure {
    const bytes = this.bytes(this.exports.engine_view, new TextEncoder().encode(JSON.stringify(query)));
    const count = new DataView(bytes.buffer).getUint32(0, true);
    const answer = JSON.parse(new TextDecoder().decode(bytes.subarray(4 + count * 4))) as ViewAnswer | EngineFailure;
    return 'error' in answer ? answer : { ...answer, rows: new Uint32Array(bytes.buffer.slice(4, 4 + count * 4)) };
  }

  /** Where the bytes lie from now on. */
  private put(bytes: Uint8Array): number {
    const pointer = this.exports.engine_alloc(bytes.length);
    new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes);
    return pointer;
  }

  private lend(bytes: Uint8Array, call: (pointer: number, length: number) => number): number {
    const pointer = this.put(bytes);
    const result = call(pointer, bytes.length);
    this.exports.engine_free(pointer, bytes.length);
    return result;
  }

  private text(call: (pointer: number, length: number) => number, bytes: Uint8Array): string {
    return new TextDecoder().decode(this.bytes(call, bytes));
  }

  /** A copy of an answer's bytes. */
  private bytes(call: (pointer: number, length: number) => number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const pointer = this.lend(bytes, call) >>> 0;
    // The memory may have grown meanwhile: its buffer is looked up anew.
    const { buffer } = this.exports.memory;
    const length = new DataView(buffer).getUint32(pointer, true);
    const answer = new Uint8Array(buffer, pointer + 4, length).slice();
    this.exports.engine_free(pointer, 4 + length);
    return answer;
  }
}
