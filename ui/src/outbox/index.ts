/**
 * The outbox of edits made while the program may be away: they're stored in this browser, sent one at a time, and undone.
 * A feature says what an edit is, how it's sent, and what becomes of conflicts.
 */
export { lastStep, mapped, moved, noHistory, STEPS_MAX, withStep, type History, type Way } from './history';
export { askBeforeLeaving } from './leaving';
export { Sender, type Work } from './sender';
export { openEditStore, StoredEdits, type EditStore, type EditWriter } from './store';
