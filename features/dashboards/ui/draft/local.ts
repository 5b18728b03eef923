/** Drafts in this browser, so that nothing is lost while the program does not answer, or when it or the page ends. */
import { openEditStore, type EditWriter } from '@shell/outbox';
import type { Doc } from '../model';

/** A draft that the program does not have yet. */
export interface LocalDraft {
  /** What both sides started from. */
  base: Doc;
  revision: number;
  doc: Doc;
}

/** A draft as it is kept: each opened dashboard of each window keeps its own, so that no window overwrites another's. */
export interface KeptDraft extends LocalDraft {
  dashboard: string;
  /** The window that keeps it. */
  page: string;
  /** Which of its opened dashboards. */
  key: string;
}

/** Where drafts are kept. Where the browser has nothing to keep them in, drafts live as long as the page. */
export interface DraftStore extends EditWriter<KeptDraft> {
  /** Drafts of a dashboard that others left, and when the window that keeps each is gone; null where it is. */
  left(dashboard: string): Promise<{ draft: KeptDraft; gone: Promise<unknown> | null }[]>;
  /** This window. */
  page: string;
}

/** What a window holds for as long as it lives. Tests have no such locks: there, every other window is gone. */
const lockOf = (page: string) => `pilothouse-page ${page}`;
const locks = (): LockManager | undefined => navigator.locks as LockManager | undefined;

/** Drafts in the browser. */
export function browserDrafts(): DraftStore {
  const store = openEditStore<KeptDraft>({
    database: 'pilothouse-dashboards',
    records: 'drafts',
    documentOf: ({ dashboard }) => dashboard,
    keyOf: ({ key }) => key,
  });
  const page = crypto.randomUUID();
  void locks()?.request(lockOf(page), () => new Promise<never>(() => {}));
  const isOpen = async (other: string) =>
    (await locks()?.query())?.held?.some(({ name }) => name === lockOf(other)) === true;
  return {
    ...store,
    page,
    left: async (dashboard) =>
      Promise.all(
        (await store.read(dashboard)).map(async (draft) => {
          const isKept = draft.page !== page && (await isOpen(draft.page));
          return { draft, gone: isKept ? (locks()?.request(lockOf(draft.page), () => undefined) ?? null) : null };
        }),
      ),
  };
}
