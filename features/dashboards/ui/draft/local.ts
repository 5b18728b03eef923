/** Drafts in this browser, so that nothing is lost while the program does not answer. One small IndexedDB store. */
import type { Doc } from '../model';

/** A draft that the program does not have yet. */
export interface LocalDraft {
  /** What both sides started from. */
  base: Doc;
  revision: number;
  doc: Doc;
}

/** Where drafts are kept. */
export interface DraftStore {
  read(dashboardId: string): Promise<LocalDraft | null>;
  write(dashboardId: string, draft: LocalDraft): Promise<void>;
  remove(dashboardId: string): Promise<void>;
}

const STORE = 'drafts';

const asked = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser refused to keep the draft.'));
  });

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('pilothouse-dashboards', 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return asked(request);
}

/** Drafts in IndexedDB. Where the browser has none (a private window), drafts live as long as the page. */
export function browserDrafts(): DraftStore {
  let database: Promise<IDBDatabase> | null = null;
  const inStore = async <T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> => {
    try {
      database ??= open();
      return await asked(ask((await database).transaction(STORE, mode).objectStore(STORE)));
    } catch {
      database = null;
      return null;
    }
  };
  return {
    read: async (id) => ((await inStore('readonly', (store) => store.get(id))) as LocalDraft | undefined) ?? null,
    write: async (id, draft) => void (await inStore('readwrite', (store) => store.put(draft, id))),
    remove: async (id) => void (await inStore('readwrite', (store) => store.delete(id))),
  };
}
