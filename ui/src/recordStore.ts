/** Records that the browser stores across reloads: one IndexedDB database with one store for each use. */

const asked = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser couldn't save this."));
  });

/** Records by key. */
export interface RecordStore<T> {
  read(key: string): Promise<T | null>;
  all(): Promise<T[]>;
  write(key: string, record: T): Promise<void>;
  remove(key: string): Promise<void>;
}

/**
 * The records of a database. If the browser stores nothing (a private window), reading finds nothing and writing has no
 * effect.
 */
export function openRecordStore<T>(name: string, storeName: string): RecordStore<T> {
  let database: Promise<IDBDatabase> | null = null;
  const open = () => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    return asked(request);
  };
  const inStore = async <R>(
    mode: IDBTransactionMode,
    ask: (store: IDBObjectStore) => IDBRequest<R>,
  ): Promise<R | null> => {
    try {
      database ??= open();
      return await asked(ask((await database).transaction(storeName, mode).objectStore(storeName)));
    } catch {
      database = null;
      return null;
    }
  };
  return {
    read: async (key) => ((await inStore('readonly', (store) => store.get(key))) as T | undefined) ?? null,
    all: async () => ((await inStore('readonly', (store) => store.getAll())) ?? []) as T[],
    write: async (key, record) => void (await inStore('readwrite', (store) => store.put(record, key))),
    remove: async (key) => void (await inStore('readwrite', (store) => store.delete(key))),
  };
}
