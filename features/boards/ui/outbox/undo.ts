/** Undoes and redoes steps on a board one at a time, for shortcuts and messages. */
import { isForNow } from '@shell/api';
import { toast } from '@shell/components';
import { lastStep, mapped, moved, noHistory, withStep, type History, type Way } from '@shell/outbox';
import type { Back, Made } from './history';
import { takeBack } from './send';
import { joined, rowsOf, type Parts } from './step';

/** Progress of a step that is sent or undone in several requests. */
export interface Progress {
  way: 'do' | Way;
  /** Items that it is of, and those of them that are done. */
  rows: number;
  done: number;
  /** Leaves undone what is not done yet; what is on its way still arrives. */
  cancel: () => void;
}

export const counted = (done: number, rows: number) =>
  `${done.toLocaleString()} of ${rows.toLocaleString()} ${rows === 1 ? 'item' : 'items'}`;

export const FAILED = { undo: "Couldn't undo", redo: "Couldn't redo" } as const;
const SAID = { undo: 'Undid', redo: 'Redid' } as const;
const REVERTED = { undo: 'undone', redo: 'redone' } as const;

/** The steps of the board, as far as that concerns them. */
interface Steps {
  /** The one whose steps these are has signed out. */
  isOver: () => boolean;
  /** Whether a step is still to be sent. */
  isWaiting: (at: number) => boolean;
  /** What a step is once it is taken back before it is known to have arrived; undefined where the program is to be asked. */
  withdraw: (made: Made) => Made | null | undefined;
  /** Nothing more is said of how a step in pieces ends. */
  letGo: (made: Made) => void;
  make: (parts: Parts) => Made;
  /** Asks for what has changed. */
  follow: () => Promise<void>;
  /** Something that is shown has changed. */
  changed: () => void;
}

export class Undo {
  /** The undo that is under way, where it is of several requests. */
  progress: Progress | null = null;
  private history: History<Made> = noHistory;
  /** One undo follows the other. */
  private undoing = Promise.resolve();
  /** Stores what is done a moment later than it is seen, so that it stands on the stack. */
  private readonly settling = new Set<() => Promise<unknown>>();

  constructor(
    private readonly board: string,
    private readonly steps: Steps,
  ) {}

  add(made: Made): void {
    this.history = withStep(this.history, made);
  }

  /** A step came to nothing; one in pieces is of what its others came to. */
  forget(at: number): void {
    this.history = { ...this.history, done: this.history.done.filter((made) => made.at !== at || made.pieces) };
  }

  /** A step is another now, on the side where it is. */
  became(made: Made, now: Made): void {
    this.history = mapped(this.history, (one) => (one === made ? now : one));
  }

  private move(way: Way, made: Made, now: Made | null): void {
    this.history = moved(this.history, way, made, now);
  }

  /** Runs before a step is taken back or done again, until that is ended. */
  settledBy(settle: () => Promise<unknown>): () => void {
    this.settling.add(settle);
    return () => void this.settling.delete(settle);
  }

  /** A step that is asked for elsewhere: how it is taken back is known once it is made. */
  note(asked: Promise<Back | 'unchanged'>, what: Made['told']): Made {
    const came = asked.catch(() => null);
    const back = came.then((known) => (known === 'unchanged' ? null : known));
    const revision = came.then((known) => (known === 'unchanged' ? known : null));
    const made: Made = { board: this.board, parts: {}, at: 0, revision, told: what, back };
    this.add(made);
    void back.then((known) => !known && this.move('undo', made, null));
    return made;
  }

  /** Takes the last step back, or does it again; one that turns out to have changed nothing is not the one that was meant. */
  go(way: Way): void {
    this.undoing = this.undoing.then(async () => {
      for (const settle of this.settling) await settle();
      for (let made = lastStep(this.history, way); made && !this.steps.isOver(); made = lastStep(this.history, way)) {
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

  /** What a step of one request is once it is taken back, nothing where there was nothing to take back; fails where it was refused. */
  private async reverted(made: Made): Promise<Made | null> {
    if (made.back) {
      const known = await made.back;
      const back = this.steps.isOver() ? null : await known?.();
      return back ? { ...made, back: Promise.resolve(back) } : null;
    }
    const withdrawn = this.steps.withdraw(made);
    if (withdrawn !== undefined) return withdrawn;
    const at = await made.revision;
    if (typeof at !== 'number' || this.steps.isOver()) return null;
    return { ...made, at: 0, revision: Promise.resolve(await takeBack(this.board, at)) };
  }

  /** The same for one in pieces, the last of them first; what cannot be taken back stays and is counted. */
  private async revertLarge(way: Way, made: Made): Promise<boolean> {
    const wasNeverSent = !made.taken?.length && made.pieces?.every(({ isUnsent }) => isUnsent);
    // Undone from the last to the first, without those that were canceled.
    if (wasNeverSent && made.pieces?.length) {
      this.move(way, made, this.steps.make(joined(made.pieces.map(({ parts }) => parts).reverse())));
      return true;
    }
    this.steps.letGo(made);
    let left = made.pieces ?? [];
    let taken = made.taken ?? [];
    let [isStopped, failed, failure] = [false, 0, undefined as unknown];
    const rows = left.reduce((sum, { parts }) => sum + rowsOf(parts), 0);
    const tell = (done: number) => {
      this.progress = { way, rows, done, cancel: () => void (isStopped = true) };
      this.steps.changed();
    };
    tell(0);
    for (let piece = left.at(-1); piece && !isStopped && !this.steps.isOver(); piece = left.at(-1)) {
      try {
        const now = await this.reverted(piece);
        if (now) taken = [...taken, now];
      } catch (thrown) {
        failure = thrown;
        if (isForNow(thrown)) break;
        failed += rowsOf(piece.parts);
      }
      left = left.slice(0, -1);
      tell((this.progress?.done ?? 0) + rowsOf(piece.parts));
    }
    this.progress = null;
    // What the one before has done is no matter of who is signed in now.
    if (this.steps.isOver()) return false;
    const waits = left.reduce((sum, { parts }) => sum + rowsOf(parts), 0);
    if (left.length > 0) this.became(made, { ...made, pieces: left, taken });
    else
      this.move(
        way,
        made,
        taken.length > 0 ? { ...made, at: 0, revision: Promise.resolve(null), pieces: taken, taken: [] } : null,
      );
    const went = `${counted(rows - waits - failed, rows)} ${REVERTED[way]}`;
    if (failure !== undefined) toast.problem(rows > waits + failed ? `Only ${went}` : FAILED[way], failure);
    else if (left.length > 0) toast.done(`Canceled: ${went}`);
    this.steps.changed();
    if (failure === undefined) await this.steps.follow();
    return failure === undefined && left.length === 0;
  }

  /** Whether it was taken back, or done again. */
  private async revert(way: Way, made: Made): Promise<boolean> {
    if (this.steps.isOver()) return false;
    if (made.pieces) return this.revertLarge(way, made);
    try {
      const now = await this.reverted(made);
      if (this.steps.isOver()) return false;
      this.move(way, made, now);
      // Where nothing was asked of the program, it need not be there for what comes next.
      if (now && !now.isUnsent && !this.steps.isWaiting(now.at)) await this.steps.follow();
      return now !== null;
    } catch (failure) {
      if (this.steps.isOver()) return false;
      // What someone has changed since stays in the way; what the program was away for can be tried again.
      if (!isForNow(failure)) this.move(way, made, null);
      toast.problem(FAILED[way], failure);
      return false;
    }
  }
}
