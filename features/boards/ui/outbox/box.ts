/**
 * The steps of one board: shown at once, sent as one request each in their order, taken back and done again as one. What is too
 * large for one request goes in several behind one another, and is one step to the person all the same. While the program is
 * away steps wait, in this browser over a reload of the page; what someone else changed meanwhile, and what is refused, waits
 * for a decision. All of it goes on where the board is left, and is there again where one comes back to it.
 */
import { againAfter_ms, isForNow, type ApiError } from '@shell/api';
import { toast } from '@shell/components';
import { connectionNow, onConnection } from '@shell/live';
import { perSignIn } from '@shell/session';
import { editAgainAction, isTyped } from '../again';
import { sameValue } from '../data';
import { toDraft } from '../format';
import { NAME } from '../grid/columns';
import { PLACE } from '../places';
import type { BoardTable } from '../table';
import { History, type Back, type Came, type Made } from './history';
import { keepOnly, kept } from './kept';
import { send, takeBack } from './send';
import { told, type Called } from './told';
import {
  decided,
  heldIn,
  isEmpty,
  joined,
  newId,
  nextOf,
  piecesOf,
  rowsOf,
  type Conflict,
  type Parts,
  type Said,
  type Step,
} from './step';

/** Items of a step whose names are kept along with it. */
const NAMED_MAX = 100;
/** Tried again after this, should the connection come back unnoticed, or when the program says. */
const AGAIN_MS = 3_000;

/** What is sent or taken back in several requests, while that is under way. */
export interface Progress {
  way: 'do' | 'undo' | 'redo';
  /** Items that it is of, and those of them that are done. */
  rows: number;
  done: number;
  /** Leaves undone what is not done yet; what is on its way still arrives. */
  cancel: () => void;
}

/** A step that is sent in pieces. */
interface Large {
  made: Made;
  progress: Progress;
  isStopped: boolean;
}

/** The page that shows the board. */
interface Viewer {
  /** The board as the page holds it. */
  table: BoardTable | undefined;
  /** Asks for what has changed. */
  follow: () => Promise<void>;
}

/** Offers to correct what was typed, where the step is of one cell. */
function againOf({ cells, add, archive, remove }: Step, table: BoardTable | undefined) {
  const [cell] = cells;
  if (!cell || !table || cells.length + add.length + archive.length + remove.length > 1) return undefined;
  const column = [NAME, ...table.meta.columns].find(({ id }) => id === cell.column);
  if (!column || !isTyped(column.type)) return undefined;
  return editAgainAction({ item: cell.item, column: column.id, text: toDraft(cell.after, column, table.meta.members) });
}

/** An item whose name was typed: it stands nowhere else, so that it is not dropped unasked. */
const isTypedName = ({ cells, add, archive, remove, large }: Step) =>
  large === undefined && add.length === 1 && cells.length + archive.length + remove.length === 0;

const counted = (done: number, rows: number) =>
  `${done.toLocaleString()} of ${rows.toLocaleString()} ${rows === 1 ? 'item' : 'items'}`;

const FAILED = { undo: "Couldn't undo", redo: "Couldn't redo" } as const;
const SAID = { undo: 'Undid', redo: 'Redid' } as const;
const REVERTED = { undo: 'undone', redo: 'redone' } as const;

/** Whether the program is there, and says why it takes nothing for now. */
const isSaid = ({ status }: ApiError) => status === 429 || status === 503;

const boxes = new Map<string, Box>();

/** The steps of a board. */
export function boxOf(board: string): Box {
  const box = boxes.get(board) ?? new Box(board);
  boxes.set(board, box);
  return box;
}

/** Hears what became of something that is said, the first time that it is tried. */
interface Hearer {
  resolve: (came: 'sent' | 'waits') => void;
  reject: (why: Error) => void;
}

export class Box {
  steps: readonly Step[] = [];
  /** Sent, but not yet in what the page holds. */
  sent: readonly { step: Step; revision: number }[] = [];
  isAway = false;
  /** Said and arrived after it waited, until the item's comments are read with it. */
  said: readonly { said: Said; at: number }[] = [];
  /** Why the program takes nothing, where it answered that; it does not where the connection is away. */
  why: string | null = null;
  /** Counts what changed of all this. */
  round = 0;
  /** The newest step's `at`: the clock may stand still, or be set back. */
  private last = 0;
  /** Steps that wait, for the program or for a decision, or did: all of these are kept. */
  private readonly waited = new Set<number>();
  /** Sent without an answer: whether it arrived is not known before it is sent again. */
  private readonly lost = new Set<number>();
  /** The one that is on its way. */
  private sending: number | null = null;
  private readonly history = new History();
  private readonly settle = new Map<number, (came: Came) => void>();
  private readonly hearers = new Map<number, Hearer>();
  /** What this browser is to keep of them, the writing of it, and what is written. */
  private kept: readonly Step[] = [];
  private keeping = Promise.resolve();
  private written: ReadonlySet<Step> = new Set();
  private isRead = false;
  /** One undo follows the other. */
  private undoing = Promise.resolve();
  /** By the first of their pieces. */
  private readonly large = new Map<number, Large>();
  /** The undo that is under way, where it is of several requests. */
  private reverting: Progress | null = null;
  private viewer: Viewer | null = null;
  /** Stores what is done a moment later than it is seen, so that it stands on the stack. */
  private readonly settling = new Set<() => Promise<unknown>>();
  private readonly watchers = new Set<() => void>();
  /** When what waits is sent again; the program may have said that it is not to be before. */
  private again: { timer: ReturnType<typeof setTimeout>; isNotBefore: boolean } | null = null;
  /** The one whose steps these are has signed out. */
  private isOver = false;

  constructor(private readonly board: string) {}

  /** What takes several requests, the one that began first before the others. */
  get progress(): readonly Progress[] {
    return [...[...this.large.values()].map((large) => large.progress), ...(this.reverting ? [this.reverting] : [])];
  }

  /** Whether something would be lost with the page: what waits is kept, once that is written. */
  get isUnsent(): boolean {
    return this.reverting !== null || this.steps.some((step) => !this.written.has(step));
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

  /** Runs before a step is taken back or done again, until that is ended. */
  settledBy(settle: () => Promise<unknown>): () => void {
    this.settling.add(settle);
    return () => void this.settling.delete(settle);
  }

  /** What the page holds of the board is of a revision. */
  isHeld(revision: number): void {
    this.sent = this.sent.filter((one) => one.revision > revision);
  }

  /** Goes on with what this browser kept of the board. */
  async open(): Promise<void> {
    if (this.isRead) return;
    this.isRead = true;
    const strange = (await kept(this.board)).filter((step) => !this.steps.some(({ at }) => at === step.at));
    // Meanwhile it may have been forgotten, and another one be there for the board.
    const isOther = (boxes.get(this.board) ?? this) !== this;
    if (strange.length === 0 || this.isOver || isOther) return;
    boxes.set(this.board, this);
    for (const step of strange) this.waited.add(step.at);
    // The page that sent them heard no answer, or is gone.
    for (const step of strange) this.lost.add(step.at);
    this.kept = strange;
    this.written = new Set(strange);
    this.isAway = true;
    // What was done while they were read comes behind them.
    this.change([...strange, ...this.steps]);
    void this.pump();
  }

  write(parts: Parts): Made | null {
    const cells = parts.cells?.filter(({ before, after }) => !sameValue(before, after)) ?? [];
    const step = { add: [], archive: [], remove: [], ...parts, cells };
    if (isEmpty(step as unknown as Step)) return null;
    const made = this.make(step);
    this.history.add(made);
    return made;
  }

  /** A step that is asked for elsewhere: how it is taken back is known once it is made. */
  note(asked: Promise<Back | 'unchanged'>, what: Made['told']): Made {
    const came = asked.catch(() => null);
    const back = came.then((known) => (known === 'unchanged' ? null : known));
    const revision = came.then((known) => (known === 'unchanged' ? known : null));
    const made: Made = { board: this.board, parts: {}, at: 0, revision, told: what, back };
    this.history.add(made);
    void back.then((known) => !known && this.history.moved('undo', made, null));
    return made;
  }

  /** Takes the last step back, or does it again; one that turns out to have changed nothing is not the one that was meant. */
  go(way: 'undo' | 'redo'): void {
    this.undoing = this.undoing.then(async () => {
      for (const settle of this.settling) await settle();
      for (let made = this.history.last(way); made && !this.isOver; made = this.history.last(way)) {
        const isDone = await this.revert(way, made);
        // What is not answered yet was taken back before it was sent.
        if ((await Promise.race([made.revision, null])) === 'unchanged') continue;
        // The keys name nothing: what went may be something else than what was meant.
        const what = typeof made.told === 'string' ? made.told : made.told();
        if (isDone) toast.done(`${SAID[way]}: ${what}`, { kind: 'undo' });
        return;
      }
    });
  }

  /** Takes one step back, whatever came after it. */
  takeBack(made: Made): Promise<void> {
    this.undoing = this.undoing.then(() => this.revert('undo', made)).then(() => undefined);
    return this.undoing;
  }

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
      { board: this.board, at, cells: [], add: [], archive: [], remove: [], names: this.namesOf([said.item]), said },
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
  async pump(): Promise<void> {
    if (this.sending !== null || this.isOver || this.again?.isNotBefore) return;
    for (let next = nextOf(this.steps); next; next = nextOf(this.steps)) {
      const { at } = next;
      if (this.waited.has(at) && connectionNow() !== 'live') return;
      this.sending = at;
      const outcome = await send(next).finally(() => {
        this.sending = null;
      });
      // Whoever is signed in now goes on with what was kept.
      if (this.isOver) return;
      // Nothing of what waited is dropped unasked, nor what may be taken another time.
      const isAsked = this.waited.has(at) || isTypedName(next) || ('isFault' in outcome && outcome.isFault);
      if ('away' in outcome) {
        this.isAway = true;
        this.why = isSaid(outcome.away) ? outcome.away.message : null;
        if (outcome.away.status === 0) this.lost.add(at);
        for (const step of this.steps) {
          this.waited.add(step.at);
          this.heard(step.at, 'waits');
        }
        this.change(this.steps);
        return this.later(outcome.away);
      }
      this.isAway = false;
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
        if (outcome.isUnchanged) this.history.forget(at);
        if (large) large.progress = { ...large.progress, done: large.progress.done + rowsOf(next) };
        this.change(others);
        void this.follow();
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
  }

  /** Another may sign in: what waits is kept, and read again from there. */
  over(): void {
    for (const { at } of this.steps) this.waited.add(at);
    this.change(this.steps);
    this.isOver = true;
  }

  private later(failure: ApiError): void {
    clearTimeout(this.again?.timer);
    const run = () => {
      this.again = null;
      void this.pump();
    };
    this.again = { timer: setTimeout(run, againAfter_ms(failure, AGAIN_MS)), isNotBefore: failure.retryAfter !== null };
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
    askBeforeLeaving();
  }

  private change(steps: readonly Step[]): void {
    this.steps = steps;
    for (const { at } of heldIn(steps)) this.waited.add(at);
    const now = steps.filter(({ at }) => this.waited.has(at));
    const before = this.kept;
    this.kept = now;
    const write = async () => {
      await keepOnly(before, now);
      this.written = new Set(now);
      askBeforeLeaving();
    };
    if (now.length + before.length > 0) this.keeping = this.keeping.then(write);
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
    this.history.became(large.made, made);
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

  /** What items are called that the page holds. */
  private namesOf(items: readonly string[]): Record<string, string> {
    const table = this.viewer?.table;
    const added = this.steps.flatMap(({ add }) => add);
    return Object.fromEntries(
      items.flatMap((item) => {
        const row = table?.row(item);
        const name =
          row === undefined ? added.find(({ id }) => id === item)?.name : String(table?.cell(row, 'name') ?? '');
        return name === undefined ? [] : [[item, name]];
      }),
    );
  }

  /** What things of the board are called. */
  readonly called: Called = {
    item: (item) => this.namesOf([item])[item] ?? 'an item',
    column: (column) =>
      column === 'groupId'
        ? 'Group'
        : column === PLACE
          ? 'position'
          : ([NAME, ...(this.viewer?.table?.meta.columns ?? [])].find(({ id }) => id === column)?.title ?? 'a column'),
    group: (group) => this.viewer?.table?.meta.groups.find(({ id }) => id === group)?.name ?? '',
  };

  private put({ cells = [], add = [], archive = [], remove = [] }: Parts, large?: number | 'first'): Made {
    const at = this.nextAt();
    const names = this.namesOf([...cells.map((cell) => cell.item), ...archive, ...remove].slice(0, NAMED_MAX));
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
    return { board: this.board, parts, at, revision: settled, told: told(parts, this.called) };
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
    const made: Made = { board: this.board, parts, at: id, revision, told: told(parts, this.called), pieces };
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

  /** What a step of one request is once it is taken back, nothing where there was nothing to take back; fails where it was refused. */
  private async reverted(made: Made): Promise<Made | null> {
    if (made.back) {
      const known = await made.back;
      const back = this.isOver ? null : await known?.();
      return back ? { ...made, back: Promise.resolve(back) } : null;
    }
    const step = this.steps.find(({ at }) => at === made.at);
    if (step && this.sending !== made.at && this.lost.has(made.at)) return { ...made, revision: this.turned(step) };
    if (step && this.sending !== made.at && (this.waited.has(made.at) || step.large !== undefined)) {
      // It was never sent, so there is nothing to take back but itself.
      this.drop(made.at);
      return step.problem ? null : { ...made, revision: Promise.resolve(null), isUnsent: true };
    }
    if (made.isUnsent) return this.put(made.parts);
    const at = await made.revision;
    if (typeof at !== 'number' || this.isOver) return null;
    return { ...made, at: 0, revision: Promise.resolve(await takeBack(this.board, at)) };
  }

  /** The same for one in pieces, the last of them first; what cannot be taken back stays and is counted. */
  private async revertLarge(way: 'undo' | 'redo', made: Made): Promise<boolean> {
    const wasNeverSent = !made.taken?.length && made.pieces?.every(({ isUnsent }) => isUnsent);
    // They undone from the last to the first; what was cancelled before is not among them.
    if (wasNeverSent && made.pieces?.length) {
      this.history.moved(way, made, this.make(joined(made.pieces.map(({ parts }) => parts).reverse())));
      return true;
    }
    this.large.delete(made.at);
    let left = made.pieces ?? [];
    let taken = made.taken ?? [];
    let [isStopped, failed, failure] = [false, 0, undefined as unknown];
    const rows = left.reduce((sum, { parts }) => sum + rowsOf(parts), 0);
    const tell = (done: number) => {
      this.reverting = { way, rows, done, cancel: () => void (isStopped = true) };
      this.tell();
    };
    tell(0);
    for (let piece = left.at(-1); piece && !isStopped && !this.isOver; piece = left.at(-1)) {
      try {
        const now = await this.reverted(piece);
        if (now) taken = [...taken, now];
      } catch (thrown) {
        failure = thrown;
        if (isForNow(thrown)) break;
        failed += rowsOf(piece.parts);
      }
      left = left.slice(0, -1);
      tell((this.reverting?.done ?? 0) + rowsOf(piece.parts));
    }
    this.reverting = null;
    // What the one before has done is no matter of who is signed in now.
    if (this.isOver) return false;
    const waits = left.reduce((sum, { parts }) => sum + rowsOf(parts), 0);
    if (left.length > 0) this.history.became(made, { ...made, pieces: left, taken });
    else
      this.history.moved(
        way,
        made,
        taken.length > 0 ? { ...made, at: 0, revision: Promise.resolve(null), pieces: taken, taken: [] } : null,
      );
    const went = `${counted(rows - waits - failed, rows)} ${REVERTED[way]}`;
    if (failure !== undefined) toast.problem(rows > waits + failed ? `Only ${went}` : FAILED[way], failure);
    else if (left.length > 0) toast.done(`Canceled: ${went}`);
    this.tell();
    if (failure === undefined) await this.follow();
    return failure === undefined && left.length === 0;
  }

  /** Whether it was taken back, or done again. */
  private async revert(way: 'undo' | 'redo', made: Made): Promise<boolean> {
    if (this.isOver) return false;
    if (made.pieces) return this.revertLarge(way, made);
    try {
      const now = await this.reverted(made);
      if (this.isOver) return false;
      this.history.moved(way, made, now);
      // Where nothing was asked of the program, it need not be there for what comes next.
      if (now && !now.isUnsent && !this.steps.some(({ at }) => at === now.at)) await this.follow();
      return now !== null;
    } catch (failure) {
      if (this.isOver) return false;
      // What someone has changed since stays in the way; what the program was away for can be tried again.
      if (!isForNow(failure)) this.history.moved(way, made, null);
      toast.problem(FAILED[way], failure);
      return false;
    }
  }
}

/** What is not sent would be lost with the page, whatever page that shows. */
const ask = (event: BeforeUnloadEvent) => event.preventDefault();
function askBeforeLeaving(): void {
  if ([...boxes.values()].some((box) => box.isUnsent)) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}

onConnection(() => {
  if (connectionNow() === 'live') for (const box of boxes.values()) void box.pump();
});
perSignIn(() => {
  for (const box of boxes.values()) box.over();
  boxes.clear();
  askBeforeLeaving();
});
