/** The engine's WebAssembly module behind plain functions over JSON. Used by the worker, and by tests in Node. */
import type { Answer, Query } from './types';

interface Exports {
  memory: WebAssembly.Memory;
  engine_alloc(length: number): number;
  engine_free(pointer: number, length: number): void;
  engine_load(pointer: number, length: number): number;
  engine_drop(pointer: number, length: number): number;
  engine_query(pointer: number, length: number): number;
}

/** The loaded boards and what can be asked of them. */
export interface EngineModule {
  /** Takes a board's Arrow stream in the place of the one with the same id. Throws with a reason. */
  load(bytes: Uint8Array): void;
  drop(id: string): void;
  /** Throws where the query is none. */
  query(query: Query): Answer;
}

/** Starts the module. */
export async function start(source: Response | BufferSource): Promise<EngineModule> {
  const { instance } = source instanceof Response ? await WebAssembly.instantiateStreaming(source) : ((await WebAssembly.instantiate(source)) as unknown as WebAssembly.WebAssemblyInstantiatedSource);
  const wasm = instance.exports as unknown as Exports;
  const utf8 = new TextEncoder();

  /** Hands bytes to a function and takes them back afterwards. */
  function give<T>(bytes: Uint8Array, to: (pointer: number, length: number) => T): T {
    const pointer = wasm.engine_alloc(bytes.length);
    try {
      // Memory may have moved while it grew, so the view is made now.
      new Uint8Array(wasm.memory.buffer, pointer, bytes.length).set(bytes);
      return to(pointer, bytes.length);
    } finally {
      wasm.engine_free(pointer, bytes.length);
    }
  }
  function read(pointer: number): unknown {
    const length = new DataView(wasm.memory.buffer).getUint32(pointer, true);
    const text = new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, pointer + 4, length));
    wasm.engine_free(pointer, 4 + length);
    const answer = JSON.parse(text) as { error?: { message: string } };
    if (answer.error) throw new Error(answer.error.message);
    return answer;
  }
  return {
    load: (bytes) => void read(give(bytes, wasm.engine_load)),
    drop: (id) => void give(utf8.encode(id), wasm.engine_drop),
    query: (query) => read(give(utf8.encode(JSON.stringify(query)), wasm.engine_query)) as Answer,
  };
}
