/**
 * Replaces `recordStore.ts` in tests that check what the browser stores:
 * `vi.mock('@shell/recordStore', () => import('@shell/testing/memoryRecords'))`.
 */
import type { RecordStore } from '../recordStore';

const databases = new Map<string, Map<string, unknown>>();
/** What every write waits for. */
export const disk = { written: Promise.resolve() };

/** The records of a database by their keys. */
export function recordsIn(database: string): Map<string, unknown> {
  const records = databases.get(database) ?? new Map<string, unknown>();
  databases.set(database, records);
  return records;
}

/** The records of a database in the order of their keys. */
export const storedIn = <T>(database: string): T[] =>
  [...recordsIn(database)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record as T);

export function openRecordStore<T>(database: string): RecordStore<T> {
  const records = recordsIn(database);
  return {
    read: (key) => Promise.resolve((records.get(key) as T | undefined) ?? null),
    all: () => Promise.resolve(storedIn<T>(database)),
    write: (key, record) => {
      records.set(key, record);
      return disk.written;
    },
    remove: (key) => {
      records.delete(key);
      return disk.written;
    },
  };
}
