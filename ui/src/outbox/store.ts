/** Edits that wait for the program, stored in this browser over a reload of the page. */
import { openRecordStore } from '../recordStore';
import { askBeforeLeaving } from './leaving';

/** Writes edits to the browser. */
export interface EditWriter<Edit> {
  keyOf(edit: Edit): string;
  /** Writes are done in the order in which they're asked for. */
  write(edit: Edit): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface EditStore<Edit> extends EditWriter<Edit> {
  /** The edits of a document, in the order of their keys. */
  read(document: string): Promise<Edit[]>;
}

/** How edits are told apart. An earlier version may have stored some: the names of the database and the form of its keys stay. */
export interface EditStoreForm<Edit> {
  database: string;
  records: string;
  documentOf: (edit: Edit) => string;
  keyOf: (edit: Edit) => string;
}

/** The edits that the browser stores of all documents of a kind. */
export function openEditStore<Edit>({ database, records, documentOf, keyOf }: EditStoreForm<Edit>): EditStore<Edit> {
  const stored = openRecordStore<Edit>(database, records);
  return {
    keyOf,
    read: async (document) =>
      (await stored.all())
        .filter((edit) => documentOf(edit) === document)
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    write: (edit) => stored.write(keyOf(edit), edit),
    remove: (key) => stored.remove(key),
  };
}

/** The waiting edits of one document as the browser stores them. Asks before the page is left until they're written. */
export class StoredEdits<Edit> {
  private edits: readonly Edit[] = [];
  private writing = Promise.resolve();

  constructor(private readonly store: EditWriter<Edit>) {}

  /** Goes on with what an earlier page stored. */
  resume(edits: readonly Edit[]): void {
    this.edits = edits;
  }

  /** Stores these edits in place of those before; an edit that is another object now is another edit. Resolves once they're written. */
  replace(edits: readonly Edit[]): Promise<void> {
    const { keyOf } = this.store;
    const before = new Map(this.edits.map((edit) => [keyOf(edit), edit]));
    this.edits = edits;
    const written = edits.filter((edit) => before.get(keyOf(edit)) !== edit).map((edit) => this.store.write(edit));
    for (const edit of edits) before.delete(keyOf(edit));
    const removed = [...before.keys()].map((key) => this.store.remove(key));
    if (written.length + removed.length === 0) return this.writing;
    askBeforeLeaving(this, true);
    const writing = Promise.all([this.writing, ...written, ...removed]).then(() => {
      if (this.writing === writing) askBeforeLeaving(this, false);
    });
    this.writing = writing;
    return writing;
  }

  /** Resolves once all of them are written. */
  get settled(): Promise<void> {
    return this.writing;
  }
}
