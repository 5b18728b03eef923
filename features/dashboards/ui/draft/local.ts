/** Drafts in this browser, so that nothing is lost while the program does not answer. */
import { keptRecords, type KeptRecords } from '@shell/kept';
import type { Doc } from '../model';

/** A draft that the program does not have yet. */
export interface LocalDraft {
  /** What both sides started from. */
  base: Doc;
  revision: number;
  doc: Doc;
}

/** Where drafts are kept, by dashboard. Where the browser has nothing to keep them in, drafts live as long as the page. */
export type DraftStore = Pick<KeptRecords<LocalDraft>, 'read' | 'write' | 'remove'>;

/** Drafts in the browser. */
export const browserDrafts = (): DraftStore => keptRecords('pilothouse-dashboards', 'drafts');
