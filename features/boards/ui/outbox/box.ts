/**
 * The steps of one board: shown immediately, sent in order as one request each, and undone and redone as one. A step
 * that is too large for one request is sent in several, but remains one step for you. While the server is unreachable,
 * steps are stored in this browser, also across reloads; conflicts and rejected steps wait for your decision. Sending
 * continues after you leave the board, and everything is there when you return.
 */
import { ApiError } from '@shell/api';
import { toast } from '@shell/components';
import { askBeforeLeaving, openEditStore, Sender, StoredEdits, type Way } from '@shell/outbox';
import { perSignIn } from '@shell/session';
import { editAgainAction, isTyped } from '../again';
import { sameValue } from '../data';
import { toDraft } from '../format';
import { NAME } from '../grid/columns';
import type { BoardTable } from '../table';
import type { Back, Came, Made } from './history';
import { send, type Answer, type Changes } from './send';
import { calledIn, describeStep, namesIn } from './describeStep';
import {
  decided,
  heldIn,
  isEmpty,
  newId,
  nextOf,
  piecesOf,
  rowsOf,
  type Conflict,
  type Parts,
  type Said,
  type Step,
} from './step';
import { counted, FAILED, Undo, type Progress } from './undo';

/** A step that is sent in pieces. */
interface Large {
  made: Made;
  progress: Progress;
  isStopped: boolean;
}

/** The page that shows the board. */
export interface Viewer {
  /** The board as the page holds it. */
  table: BoardTable | undefined;
  /** The same, also before what was put there last is drawn. */
  holds: () => BoardTable | undefined;
  /** Asks for what has changed. */
  follow: () => Promise<void>;
  /** A step was answered, or is tried again later: what an answer brought goes in its place. */
  settled: (changes?: Changes) => void;
}

/** Offers to correct the typed value of a single-cell step. */
function againOf({ cells, add, archive, remove }: Step, table: BoardTable | undefined) {
  const [cell] = cells;
  if (!cell || !table || cells.length + add.length + archive.length + remove.length > 1) return undefined;
  const column = [NAME, ...table.meta.columns].find(({ id }) => id === cell.column);
  if (!column || !isTyped(column.type)) return undefined;
  return editAgainAction({ item: cell.item, column: column.id, text: toDraft(cell.after, column, table.meta.members) });
}

/** Whether a step adds a typed item. It is stored nowhere else, so it's never dropped without asking. */
const isTypedName = ({ cells, add, archive, remove, large }: Step) =>
  large === undefined && add.length === 1 && cells.length + archive.length + remove.length === 0;

/** In the order of their keys the steps of a board are in theirs. */
const store = openEditStore<Step>({
  database: 'pilothouse-steps',
  records: 'steps',
  documentOf: ({ board }) => board,
  keyOf: ({ board, at }) => `${board}/${String(at).padStart(16, '0')}`,
});

const boxes = new Map<string, Box>();

/** The steps of a board. */
export function boxOf(board: string): Box {
  const box = boxes.get(board) ?? new Box(board);
  boxes.set(board, box);
  return box;
}

/** Callback for the first result of a comment change. */
interface Hearer {
  resolve: (came: 'sent' | 'waits') => void;
  reject: (why: Error) => void;
}

export class Box {
  steps: readonly Step[] = [];
  /** Sent, but not yet in what the page holds. */
  sent: readonly { step: Step; revision: number }[] = [];
  /** Said and arrived after it waited, until the item's comments are read with it. */
  said: readonly { said: Said; at: number }[] = [];
  /** Counts what changed of all this. */
  round = 0;
  /** The newest step's `at`: the clock may stand still, or be set back. */
  private last = 0;
  /** Steps that wait, for the program or for a decision, or did: all of these are kept. */
  private readonly waited = new Set<number>();
  /** Sent without an answer: whether it arrived is not known before it is sent again. */
  private readonly lost = new Set<number>();
  private readonly sender = new Sender<Step, Answer>({
    next: () => nextOf(this.steps),
    send: (step) => send(step, this.viewer?.holds()),
    answered: (step, answer) => {
      this.answered(step, answer);
      this.viewer?.settled('changes' in answer ? answer.changes : undefined);
    },
    waits: ({ at }, failure) => {
      this.viewer?.settled();
      if (failure instanceof ApiError && failure.status === 0) this.lost.add(at);
      for (const step of this.steps) {
        this.waited.add(step.at);
        this.heard(step.at, 'waits');
      }
      this.change(this.steps);
    },
  });
  private readonly undo: Undo;
  private readonly settle = new Map<number, (came: Came) => void>();
  private readonly hearers = new Map<number, Hearer>();
  /** What this browser stores of them. */
  private readonly stored = new StoredEdits(store);
  private isRead = false;
  /** By the first of their pieces. */
  private readonly large = new Map<number, Large>();
  private viewer: Viewer | null = null;
  private readonly watchers = new Set<() => void>();

  constructor(private readonly board: string) {
    this.undo = new Undo(board, {
      isOver: () => this.isOver,
      isWaiting: (at) => this.steps.some((step) => step.at === at),
      withdraw: (made) => this.withdraw(made),
      // One that is undone says no more how it ended.
      letGo: (made) => void this.large.delete(made.at),
      make: (parts) => this.make(parts),
      follow: () => this.follow(),
      changed: () => this.tell(),
    });
  }

  get isAway(): boolean {
    return this.sender.isAway;
  }

  /** Why the program takes nothing, where it said so. */
  get why(): string | null {
    return this.sender.why;
  }

  /** The one that is on its way. */
  private get sending(): number | null {
    return this.sender.sending?.at ?? null;
  }

  /** A step is on its way, whose answer brings what has changed. */
  get isSending(): boolean {
    return this.sender.sending !== null;
  }

  /** The one whose steps these are has signed out. */
  private get isOver(): boolean {
    return this.sender.isStopped;
  }

  /** What takes several requests, the one that began first before the others. */
  get progress(): readonly Progress[] {
    return [
      ...[...this.large.values()].map((large) => large.progress),
      ...(this.undo.progress ? [this.undo.progress] : []),
    ];
  }

  subscribe = (watcher: () => void) => {
    boxes.set(this.board, this);
    this.watchers.add(watcher);
    return () => {
      this.watchers.delete(watcher);
      this.rest();
    };
  };

  /** A page shows the board, until it says that it does no longer. */
  shownBy(viewer: Viewer): () => void {
    this.viewer = viewer;
    return () => {
      if (this.viewer === viewer) this.viewer = null;
    };
  }

  /** What the page holds of the board is of a revision. */
  isHeld(revision: number): void {
    this.sent = this.sent.filter((one) => one.revision > revision);
  }

  /** Goes on with what this browser kept of the board. */
  async open(): Promise<void> {
    if (this.isRead) return;
    this.isRead = true;
    const strange = (await store.read(this.board)).filter((step) => !this.steps.some(({ at }) => at === step.at));
    // Meanwhile it may have been forgotten, and another one be there for the board.
    const isOther = (boxes.get(this.board) ?? this) !== this;
    if (strange.length === 0 || this.isOver || isOther) return;
    boxes.set(this.board, this);
    for (const step of strange) this.waited.add(step.at);
    // The page that sent them heard no answer, or is gone.
    for (const step of strange) this.lost.add(step.at);
    this.stored.resume(strange);
    this.sender.wait();
    // What was done while they were read comes behind them.
    this.change([...strange, ...this.steps]);
    void this.pump();
  }

  write(parts: Parts): Made | null {
    const cells = parts.cells?.filter(({ before, after }) => !sameValue(before, after)) ?? [];
    const step = { add: [], archive: [], remove: [], ...parts, cells };
    if (isEmpty(step as unknown as Step)) return null;
    const made = this.make(step);
    this.undo.add(made);
    return made;
  }

  /** A step that is asked for elsewhere: how it is taken back is known once it is made. */
  note = (asked: Promise<Back | 'unchanged'>, what: Made['told']): Made => this.undo.note(asked, what);
  go = (way: Way): void => this.undo.go(way);
  takeBack = (made: Made): Promise<void> => this.undo.takeBack(made);
  settledBy = (settle: () => Promise<unknown>): (() => void) => this.undo.settledBy(settle);

  decide(step: Step, conflicts: readonly Conflict[], keep: 'mine' | 'theirs'): void {
    const before = this.steps;
    const left = decided(before, step.at, conflicts, keep);
    this.change(left);
    for (const { at } of before) if (!left.some((one) => one.at === at)) this.settled(at, null);
    void this.pump();
  }

  /**
   * Says something of an item: fails with the reason where that is refused at once, and keeps it where the program is away. What
   * never left is changed in its place, or goes unsaid.
   */
  say(said: Said): Promise<'sent' | 'waits'> {
    const unsent = this.steps.filter(
      (step) => step.said?.comment === said.comment && this.sending !== step.at && !this.lost.has(step.at),
    );
    const last = unsent.at(-1);
    if (said.way === 'edit' && last?.said && last.said.way !== 'delete') {
      const { problem, said: before, ...rest } = last;
      // What was in the way of the last one is what this one was made of.
      const edited = {
        ...rest,
        said: { ...before, text: said.text, revision: problem ? said.revision - 1 : before.revision },
      };
      this.change(this.steps.map((step) => (step === last ? edited : step)));
      void this.pump();
      return Promise.resolve('waits');
    }
    if (said.way === 'delete') {
      this.change(this.steps.filter((step) => !unsent.includes(step)));
      if (unsent.some((step) => step.said?.way === 'add')) return Promise.resolve('waits');
    }
    const at = this.nextAt();
    const heard = new Promise<'sent' | 'waits'>((resolve, reject) => this.hearers.set(at, { resolve, reject }));
    if (this.isAway) this.waited.add(at);
    this.change([
      ...this.steps,
      {
        board: this.board,
        at,
        cells: [],
        add: [],
        archive: [],
        remove: [],
        names: namesIn(this.held(), [said.item]),
        said,
      },
    ]);
    void this.pump();
    if (this.waited.has(at)) this.heard(at, 'waits');
    return heard;
  }

  /** What is said of an item and is not in what was read of its comments, in its order. */
  saidOf(item: string): readonly { said: Said; at: number; isSent: boolean; problem?: Step['problem'] }[] {
    const waiting = this.steps.flatMap(({ said, at, problem }) =>
      said?.item === item && this.waited.has(at) ? { said, at, isSent: false, ...(problem ? { problem } : {}) } : [],
    );
    return [...this.said.filter(({ said }) => said.item === item).map((one) => ({ ...one, isSent: true })), ...waiting];
  }

  /** Of these, what was read with the comments meanwhile. */
  areRead(ats: readonly number[]): void {
    this.said = this.said.filter(({ at }) => !ats.includes(at));
    this.tell();
  }

  /** Gives a step up. */
  drop(at: number): void {
    this.settled(at, null);
    this.heard(at, 'waits');
    this.change(this.steps.filter((step) => step.at !== at));
    void this.pump();
  }

  retry(step: Step): void {
    const { problem, ...rest } = step;
    // Who tries an edit again writes it over what it was refused for.
    const stands = problem && 'refused' in problem ? problem.stands : undefined;
    const next = rest.said && stands !== undefined ? { ...rest, said: { ...rest.said, revision: stands } } : rest;
    this.change(this.steps.map((one) => (one === step ? next : one)));
    void this.pump();
  }

  /** Sends what can be sent, one step behind the other. */
  pump = (): Promise<void> => this.sender.run();

  private answered(next: Step, outcome: Answer): void {
    const { at } = next;
    // Nothing of what waited is dropped unasked, nor what may be taken another time.
    const isAsked = this.waited.has(at) || isTypedName(next) || ('isFault' in outcome && outcome.isFault);
    this.lost.delete(at);
    const id = next.large;
    const large = id === undefined ? undefined : this.large.get(id);
    const others = this.steps.filter((step) => step.at !== at);
    if ('revision' in outcome && next.said) {
      if (this.waited.has(at)) this.said = [...this.said, { said: next.said, at }];
      this.change(others);
      this.heard(at, 'sent');
    } else if ('refused' in outcome && next.said && !this.waited.has(at)) {
      // Who wrote it has it before them still.
      this.change(others);
      this.hearers.get(at)?.reject(new Error(outcome.refused));
      this.hearers.delete(at);
    } else if ('revision' in outcome) {
      if (!next.isUndone) this.sent = [...this.sent, { step: next, revision: outcome.revision }];
      this.settled(at, outcome.isUnchanged ? 'unchanged' : outcome.revision);
      if (outcome.isUnchanged) this.undo.forget(at);
      if (large) large.progress = { ...large.progress, done: large.progress.done + rowsOf(next) };
      this.change(others);
      if (!outcome.changes) void this.follow();
    } else if (next.isUndone) {
      // Nothing of it is there, unless it was the undo that was refused.
      this.settled(at, null);
      this.change(others);
      if ('refused' in outcome && outcome.isThere) toast.problem(FAILED.undo, new Error(outcome.refused));
      void this.follow();
    } else if ('refused' in outcome && large && id !== undefined && !isAsked) {
      // What comes behind it would stand without it.
      this.settled(at, null);
      this.change(others);
      this.stop(id, large, at);
      this.end(id, outcome.refused);
    } else if ('refused' in outcome && !isAsked) {
      this.settled(at, null);
      this.change(others);
      toast.problem("Couldn't save change", new Error(outcome.refused), againOf(next, this.viewer?.table));
    } else {
      const problem =
        'refused' in outcome
          ? { refused: outcome.refused, ...(outcome.stands === undefined ? {} : { stands: outcome.stands }) }
          : { conflicts: outcome.conflicts };
      // What comes behind a refused piece waits for a decision as well.
      const isStopped = (step: Step) =>
        step.at === at || ('refused' in outcome && id !== undefined && step.large === id);
      this.change(this.steps.map((step) => (isStopped(step) ? { ...step, problem } : step)));
      void this.follow();
    }
    if (id !== undefined) this.end(id);
  }

  /** Another may sign in: what waits is kept, and read again from there. */
  over(): void {
    for (const { at } of this.steps) this.waited.add(at);
    this.change(this.steps);
    this.sender.stop();
    askBeforeLeaving(this, false);
  }

  private async follow(): Promise<void> {
    await this.viewer?.follow();
  }

  private settled(at: number, came: Came): void {
    this.settle.get(at)?.(came);
    this.settle.delete(at);
  }

  private heard(at: number, came: 'sent' | 'waits'): void {
    this.hearers.get(at)?.resolve(came);
    this.hearers.delete(at);
  }

  private tell(): void {
    this.round += 1;
    for (const watcher of this.watchers) watcher();
    this.rest();
  }

  /** Is forgotten where nobody looks and nothing is left to be sent or decided. */
  private rest(): void {
    const isIdle = this.steps.length === 0 && this.progress.length === 0 && this.sending === null;
    if (isIdle && this.watchers.size === 0 && boxes.get(this.board) === this) boxes.delete(this.board);
    // What waits is stored; what is on its way, and an undo in several requests, end with the page.
    const isUnstored = this.undo.progress !== null || this.steps.some(({ at }) => !this.waited.has(at));
    askBeforeLeaving(this, isUnstored && !this.isOver);
  }

  private change(steps: readonly Step[]): void {
    this.steps = steps;
    for (const { at } of heldIn(steps)) this.waited.add(at);
    void this.stored.replace(steps.filter(({ at }) => this.waited.has(at)));
    this.tell();
  }

  /** Leaves what is not on its way of a step in pieces; its history is of what went in alone. */
  private stop(id: number, large: Large, except?: number): void {
    const isLeft = (step: Step) =>
      step.large === id && !step.problem && step.at !== this.sending && !this.lost.has(step.at) && step.at !== except;
    const left = new Set(this.steps.filter(isLeft).map(({ at }) => at));
    if (left.size === 0 && except === undefined) return;
    for (const at of left) this.settled(at, null);
    const made = {
      ...large.made,
      pieces: (large.made.pieces ?? []).filter(({ at }) => !left.has(at) && at !== except),
    };
    this.undo.became(large.made, made);
    large.made = made;
    this.change(this.steps.filter((step) => !left.has(step.at)));
  }

  /** Says how a step in pieces ended, once none of them is left to be sent. */
  private end(id: number, why?: string): void {
    const large = this.large.get(id);
    if (!large || this.steps.some((step) => step.large === id && !step.problem)) return;
    this.large.delete(id);
    const { made, progress } = large;
    // By then the board may have been left, and another box be its own.
    const undo = () => boxOf(this.board).takeBack(made);
    const saved = `${counted(progress.done, progress.rows)} saved`;
    if (why !== undefined)
      toast.problem(
        progress.done > 0 ? `Only ${saved}` : "Couldn't save change",
        new Error(why),
        progress.done > 0 ? { label: 'Undo', run: undo } : undefined,
      );
    else if (large.isStopped) toast.done(`Canceled: ${saved}`, progress.done > 0 ? { undo } : {});
    this.tell();
  }

  private nextAt(): number {
    this.last = Math.max(Date.now(), 1 + this.last, 1 + (this.steps.at(-1)?.at ?? 0));
    return this.last;
  }

  /** What the page holds of the board, and what is to come. */
  private held = () => ({ table: this.viewer?.table, steps: this.steps });
  /** What things of the board are called. */
  readonly called = calledIn(this.held);

  private put({ cells = [], add = [], archive = [], remove = [] }: Parts, large?: number | 'first'): Made {
    const at = this.nextAt();
    const names = namesIn(this.held(), [...cells.map((cell) => cell.item), ...archive, ...remove]);
    const parts = { cells, add, archive, remove };
    const settled = new Promise<Came>((resolve) => this.settle.set(at, resolve));
    // Behind what waits it waits as well.
    if (this.isAway) this.waited.add(at);
    this.change([
      ...this.steps,
      {
        board: this.board,
        at,
        id: newId(),
        names,
        ...parts,
        ...(large === undefined ? {} : { large: large === 'first' ? at : large }),
      },
    ]);
    void this.pump();
    return { board: this.board, parts, at, revision: settled, told: describeStep(parts, this.called) };
  }

  /** Sends a step, in several requests where it is too large for one. */
  private make(parts: Parts): Made {
    const [first, ...others] = piecesOf(parts);
    if (!first || others.length === 0) return this.put(parts);
    const begun = this.put(first, 'first');
    const id = begun.at;
    const pieces = [begun, ...others.map((piece) => this.put(piece, id))];
    const revision = Promise.all(pieces.map((piece) => piece.revision)).then((all) =>
      all.includes(null) ? null : (all.findLast((came) => typeof came === 'number') ?? 'unchanged'),
    );
    const made: Made = { board: this.board, parts, at: id, revision, told: describeStep(parts, this.called), pieces };
    const cancel = () => {
      const large = this.large.get(id);
      if (!large) return;
      large.isStopped = true;
      this.stop(id, large);
      this.end(id);
    };
    this.large.set(id, { made, progress: { way: 'do', rows: rowsOf(parts), done: 0, cancel }, isStopped: false });
    this.tell();
    return made;
  }

  /** A step that may have arrived is sent again in any case: to be taken back then, or no longer. What came of that. */
  private turned(step: Step): Promise<Came> {
    const { isUndone, ...rest } = step;
    this.change(
      this.steps.map((one) => (one === step ? { ...rest, ...(isUndone ? {} : { isUndone: true as const }) } : one)),
    );
    return new Promise((resolve) => this.settle.set(step.at, resolve));
  }

  /**
   * What a step is once it is taken back, or done again, before it is known to have arrived; null where it had come to nothing,
   * and undefined where the program is to be asked.
   */
  private withdraw(made: Made): Made | null | undefined {
    const step = this.sending === made.at ? undefined : this.steps.find(({ at }) => at === made.at);
    if (step && this.lost.has(made.at)) return { ...made, revision: this.turned(step) };
    if (step && (this.waited.has(made.at) || step.large !== undefined)) {
      // It was never sent, so there is nothing to take back but itself.
      this.drop(made.at);
      return step.problem ? null : { ...made, revision: Promise.resolve(null), isUnsent: true };
    }
    return made.isUnsent ? this.put(made.parts) : undefined;
  }
}

perSignIn(() => {
  for (const box of boxes.values()) box.over();
  boxes.clear();
});
