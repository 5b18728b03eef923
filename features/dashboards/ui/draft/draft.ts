/**
 * The draft of one dashboard: kept in the browser on every change, sent to the program shortly after, merged with what
 * others did. Knows no React and no network, so that its timing can be tested with a clock of the test's own.
 */
import { ApiError, isForNow, reasonOf } from '@shell/api';
import { lastStep, noHistory, Sender, StoredEdits, type Way } from '@shell/outbox';
import { docOf, type DashboardRecord, type Doc } from '../model';
import { asStored, remember, travel, uponTheirs, type Steps } from './history';
import type { DraftStore, KeptDraft } from './local';
import { merge, mergeBehind, sameDoc, type Clash, type Merged } from './merge';

/** After the last change. */
export const SAVE_AFTER_MS = 800;
/** After the first change that is not saved, however fast others follow. */
export const SAVE_AT_LATEST_MS = 5000;
/** How long after a write another one to the same place is told of: its writer may not have seen the first one. */
const AT_ONCE_MS = 10_000;
/** Answers that something which the config names isn't there: the dashboard itself is. */
const NAMES_UNKNOWN = ['board-not-found', 'named-not-found'];

/** How the draft stands with the program. */
export type Saved =
  | { kind: 'saved' }
  | { kind: 'saving' }
  | { kind: 'offline' }
  /** Both sides changed the same place; mine is kept and saved until theirs is taken. */
  | { kind: 'conflict'; clashes: readonly Clash[] }
  /** The program refuses it; it stays in this browser. */
  | { kind: 'refused'; reason: string }
  /** Someone deleted the dashboard. */
  | { kind: 'gone' };

/** What the page shows. */
export interface DraftView {
  doc: Doc;
  saved: Saved;
  canUndo: boolean;
  canRedo: boolean;
}

/** What the draft needs of the world. */
export interface DraftWorld {
  read(): Promise<DashboardRecord>;
  /** Sends what changed; `keepalive` when the page is going away. */
  write(change: Partial<Doc>, revision: number, keepalive: boolean): Promise<DashboardRecord>;
  drafts: DraftStore;
  now_ms(): number;
  /** Called when mine was kept over theirs. */
  onClash(clashes: readonly Clash[]): void;
  /** Called when theirs came into the place of mine. */
  onReplaced(clashes: readonly Clash[]): void;
  /** Called when a step was not taken or brought back there, because someone else changed it since. */
  onLeft(what: readonly string[]): void;
}

/** What was written from here. */
interface Written {
  /** On the program's clock. */
  at_ms: number;
  before: Doc;
  after: Doc;
}

/** What is asked of the program: what others did, or to save what is here. */
type Job = 'read' | 'write';

/** What came of that. `before` is what was there before `sent`, with theirs where mine took its place. */
type Answer =
  | { read: DashboardRecord }
  | { written: DashboardRecord; before: Doc; sent: Doc; contested: readonly Clash[] }
  | { failed: ApiError };

/** The draft of one dashboard. */
export class Draft {
  /** Whose boards can be connected. */
  readonly workspaceId: string;
  private base: Doc;
  private revision: number;
  private doc: Doc;
  /** The last writes, in their order. */
  private written: readonly Written[] = [];
  /** Where mine is to be written over theirs. */
  private contested: readonly Clash[] = [];
  private history: Steps = noHistory;
  private saved: Saved = { kind: 'saved' };
  private clashes: readonly Clash[] = [];
  private view: DraftView;
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private firstUnsaved_ms: number | null = null;
  /** What is not saved is to be saved now. */
  private isDue = false;
  /** The page is going away. */
  private isLeaving = false;
  private readonly sender = new Sender<Job, Answer>({
    next: () => this.next(),
    send: (job) => this.ask(job),
    answered: (job, answer) => this.answered(job, answer),
    waits: (job) => {
      if (job === 'read') this.mustRead = true;
      this.clearTimer();
      this.tell({ kind: 'offline' });
    },
  });
  private newestSeen = 0;
  /** Something was told that only reading tells apart, while something else was under way. */
  private mustRead = false;
  private closed = false;
  /** Its own among all drafts that the browser keeps. */
  private readonly key = crypto.randomUUID();
  /** What the browser stores of it: nothing, or what is not saved yet. */
  private readonly stored: StoredEdits<KeptDraft>;

  constructor(
    private readonly id: string,
    record: DashboardRecord,
    private readonly world: DraftWorld,
  ) {
    this.workspaceId = record.workspaceId;
    this.stored = new StoredEdits(world.drafts);
    this.base = docOf(record);
    this.revision = record.revision;
    this.doc = this.base;
    this.view = this.makeView();
  }

  /** Takes up what windows left that are gone, and what those that are still open leave once they go. */
  async resume(): Promise<void> {
    if (this.closed) return;
    for (const { draft, gone } of await this.world.drafts.left(this.id)) {
      if (gone) void gone.then(() => this.resume());
      else await this.takeUp(draft);
    }
  }

  private async takeUp(left: KeptDraft): Promise<void> {
    if (this.closed || left.key === this.key) return;
    // What is on the screen stays; where the other left something else in the same place, that is offered.
    this.takeMerge(merge(left.base, this.doc, left.doc));
    if (this.isDirty()) {
      // It is kept as this window's before it is forgotten as the other's.
      await this.keep();
      this.schedule();
    } else if (this.clashes.length) {
      this.tell({ kind: 'conflict', clashes: this.clashes });
    }
    await this.world.drafts.remove(left.key);
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  readonly getView = () => this.view;

  /** Changes the document. Changes with the same `group` in quick succession are one step of undo. */
  readonly edit = (change: (doc: Doc) => Doc, group: string | null = null) => {
    const next = change(this.doc);
    if (next === this.doc || sameDoc(next, this.doc)) return;
    this.history = remember(this.history, this.doc, next, this.world.now_ms(), group);
    this.become(next);
  };

  /** What `undo` would take back; the same for as long as it would. */
  readonly lastStep = (): unknown => lastStep(this.history, 'undo');
  readonly undo = () => this.travel('undo');
  readonly redo = () => this.travel('redo');

  /**
   * A change that the program makes for the person here is a step of undo like their own. False where it is none: nothing
   * changed, or someone else wrote at the same moment, whose change would be taken back with it.
   */
  async adopt(make: () => Promise<DashboardRecord>): Promise<boolean> {
    // What is not saved yet goes first, so that the change is laid onto what is seen.
    await this.flush();
    const before = await this.world.read();
    // Whose place it takes was asked for here.
    this.written = [];
    const after = await make();
    await this.changedElsewhere(after.revision);
    if (after.revision !== before.revision + 1) return false;
    this.history = remember(this.history, docOf(before), docOf(after), this.world.now_ms(), null);
    this.tell(this.saved);
    return true;
  }

  /** Takes theirs in all places where mine was kept. One step of undo. */
  readonly takeTheirs = () => {
    const { clashes } = this;
    this.keepMine();
    this.take(clashes);
  };

  /** Takes the other side's in these places. One step of undo. */
  readonly take = (clashes: readonly Clash[]) => {
    this.contested = [...this.contested, ...clashes];
    this.edit((doc) => clashes.reduce((taken, clash) => clash.takeOther(taken), doc));
  };

  /** Ends the conflict; what is shown is what is saved. */
  readonly keepMine = () => {
    this.clashes = [];
    this.tell(this.saved.kind === 'conflict' ? { kind: 'saved' } : this.saved);
  };

  /** The program says that the dashboard changed; revision 0 that it was deleted. */
  async changedElsewhere(revision: number): Promise<void> {
    this.newestSeen = Math.max(this.newestSeen, revision);
    if (revision === 0) this.mustRead = true;
    if (this.isBehind()) await this.run();
  }

  /** Reads again: events were missed. */
  async reconnected(): Promise<void> {
    if (this.closed) return;
    // A request under way may have been answered before the missed events. Unsaved changes need no read: their save reports conflicts.
    if (this.sender.sending || !this.isDirty()) this.mustRead = true;
    else this.isDue = true;
    this.clearTimer();
    await this.run();
  }

  /** Sends what is not saved, now. */
  readonly flush = async (isLeaving = false): Promise<void> => {
    this.clearTimer();
    if (this.sender.sending || this.closed) return;
    if (this.isDirty()) {
      this.isDue = true;
      this.isLeaving = isLeaving;
    } else {
      // Changed and changed back: there is nothing to send, and nothing is being saved any more.
      this.firstUnsaved_ms = null;
      if (this.saved.kind === 'saving') this.settle();
    }
    await this.run();
  };

  /** Ends it; what is not saved is sent once more. */
  close() {
    void this.flush();
    this.closed = true;
    this.clearTimer();
    this.sender.end();
  }

  /** Forgets the local copy: the dashboard was deleted here. */
  async discard() {
    this.closed = true;
    this.clearTimer();
    this.sender.stop();
    await this.stored.replace([]);
  }

  private isDirty = () => !sameDoc(this.doc, this.base);
  private isBehind = () => !this.closed && (this.mustRead || this.newestSeen > this.revision);

  private travel(way: Way) {
    const moved = travel(way, this.history, this.doc);
    if (!moved) return;
    this.history = moved.history;
    if (moved.doc === this.doc) this.tell(this.saved);
    else this.become(moved.doc);
    if (moved.left.length) this.world.onLeft(moved.left);
  }

  private become(doc: Doc) {
    this.doc = doc;
    this.clashes = [];
    void this.keep();
    this.schedule();
  }

  private keep(): Promise<void> {
    const { key, id: dashboard, base, revision, doc } = this;
    return this.stored.replace([{ key, dashboard, page: this.world.drafts.page, base, revision, doc }]);
  }

  private schedule() {
    if (this.closed || this.saved.kind === 'gone') return this.tell(this.saved);
    const now = this.world.now_ms();
    this.firstUnsaved_ms ??= now;
    const wait = Math.min(SAVE_AFTER_MS, Math.max(0, this.firstUnsaved_ms + SAVE_AT_LATEST_MS - now));
    this.clearTimer();
    this.timer = setTimeout(() => void this.flush(), wait);
    this.tell({ kind: this.sender.isAway ? 'offline' : 'saving' });
  }

  private clearTimer() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Asks what is to be asked, and resolves once that is stored as well. */
  private async run(): Promise<void> {
    await this.sender.run();
    await this.stored.settled;
  }

  private next(): Job | null {
    const isDirty = this.isDirty();
    // What was changed while something was under way, and nobody looks at any more: no later moment would send it.
    if (isDirty && (this.isDue || this.closed)) return 'write';
    if (this.isBehind()) return 'read';
    if (!this.sender.isAway || this.closed) return null;
    return isDirty ? 'write' : 'read';
  }

  private async ask(job: Job): Promise<Answer | { away: unknown }> {
    try {
      return await (job === 'read' ? this.read() : this.write());
    } catch (error) {
      // A document as a whole does no harm when it is sent again: a fault of the program may pass.
      if (!(error instanceof ApiError) || isForNow(error) || error.status >= 500) return { away: error };
      return { failed: error };
    }
  }

  private async read(): Promise<Answer> {
    this.mustRead = false;
    return { read: await this.world.read() };
  }

  private async write(): Promise<Answer> {
    const { doc: sent, base, contested, isLeaving } = this;
    // Mine stands in place of theirs: should theirs come back, that is to be told as well.
    const before = contested.reduce((doc, clash) => clash.takeFrom(doc), base);
    this.isDue = false;
    this.isLeaving = false;
    this.firstUnsaved_ms = null;
    if (!this.sender.isAway) this.tell({ kind: 'saving' });
    const change: Partial<Doc> = {
      ...(sent.name === base.name ? {} : { name: sent.name }),
      ...(sameDoc({ ...sent, name: '' }, { ...base, name: '' }) ? {} : { config: sent.config }),
    };
    return { written: await this.world.write(change, this.revision, isLeaving), before, sent, contested };
  }

  private answered(job: Job, answer: Answer) {
    if ('failed' in answer) this.failed(job, answer.failed);
    else if ('read' in answer) this.catchUp(answer.read);
    else this.isWritten(answer);
  }

  private isWritten({ written: record, before, sent, contested }: Extract<Answer, { written: unknown }>) {
    // What was sent is now what both sides know, whatever the program made of the name's spaces.
    this.base = docOf(record);
    this.revision = record.revision;
    this.written = [...this.writtenBy(record), { at_ms: Date.parse(record.updatedAt), before, after: this.base }];
    this.contested = this.contested.filter((clash) => !contested.includes(clash));
    if (!sameDoc(this.base, sent)) this.history = asStored(this.history, sent, this.base);
    if (sameDoc(this.doc, sent)) this.doc = this.base;
    if (!this.isDirty()) return this.settle();
    if (this.closed) return;
    this.saved = { kind: 'saving' };
    void this.keep();
    this.schedule();
  }

  private settle() {
    this.tell(this.clashes.length ? { kind: 'conflict', clashes: this.clashes } : { kind: 'saved' });
    void this.stored.replace([]);
  }

  private failed(job: Job, error: ApiError) {
    if (this.closed) return this.sender.stop();
    if (job === 'write' && (error.status === 412 || error.status === 409)) {
      this.mustRead = true;
      return;
    }
    // What cannot be read now is read once more when something else is told.
    if (job === 'read') this.newestSeen = this.revision;
    if (error.status === 404 && !NAMES_UNKNOWN.includes(error.code)) return this.tell({ kind: 'gone' });
    this.tell({ kind: 'refused', reason: reasonOf(error) });
  }

  /** Merges what the others did, and sends what is left of mine. */
  private catchUp(record: DashboardRecord) {
    if (this.closed) return;
    this.newestSeen = Math.max(this.newestSeen, record.revision);
    const [theirs, before] = [docOf(record), this.base];
    this.base = theirs;
    this.revision = record.revision;
    const merged = merge(before, this.doc, theirs);
    this.history = uponTheirs(this.history, merged.clashes);
    const replaced = this.replacedBy(record, before);
    this.contested = [...this.contested, ...merged.clashes];
    this.takeMerge(merged, replaced);
    if (!this.isDirty()) return this.settle();
    void this.keep();
    this.clearTimer();
    this.isDue = true;
  }

  /** What was written from here a moment before the program had this. */
  private writtenBy(record: DashboardRecord) {
    return this.written.filter(({ at_ms }) => Date.parse(record.updatedAt) - at_ms <= AT_ONCE_MS);
  }

  /** What was just written from here and has someone else's in its place now. Where a widget lies is seen, and changes with each drop of another. */
  private replacedBy(record: DashboardRecord, before: Doc): Clash[] {
    this.written = this.writtenBy(record);
    const others = this.written.reduceRight((doc, step) => mergeBehind(step.after, step.before, doc).doc, before);
    return merge(others, docOf(record), before).clashes.filter(({ isPlace }) => !isPlace);
  }

  private takeMerge({ doc, clashes, given }: Merged, replaced: readonly Clash[] = []) {
    this.doc = doc;
    // Where someone changed what was kept here, there is nothing to choose any more.
    this.clashes = [...this.clashes.filter(({ stands }) => stands(doc)), ...clashes];
    if (clashes.length) this.world.onClash(clashes);
    const lost = [...given, ...replaced.filter(({ stands }) => stands(doc))];
    if (lost.length) this.world.onReplaced(lost);
    this.tell(this.saved);
  }

  private makeView(): DraftView {
    return {
      doc: this.doc,
      saved: this.saved,
      canUndo: this.history.done.length > 0,
      canRedo: this.history.undone.length > 0,
    };
  }

  private tell(saved: Saved) {
    this.saved = saved;
    this.view = this.makeView();
    for (const listener of this.listeners) listener();
  }
}
