/** The person's steps on this page, to take them back and to do them again. */
import type { Parts } from './step';

/** Takes something back; how that is taken back in turn, nothing where it cannot be. */
export type Back = () => Promise<Back | null>;

/** What came of a step: its revision, that all of it was so already, or nothing where it was refused or given up. */
export type Came = number | 'unchanged' | null;

/** A step that was made. */
export interface Made {
  board: string;
  parts: Parts;
  /** Which of the waiting steps it is. */
  at: number;
  /** Resolves once it is answered or given up. */
  revision: Promise<Came>;
  /** What it was, in words. */
  told: string | (() => string);
  /** It was taken back before it was sent. */
  isUnsent?: boolean;
  /** How it is taken back, where it is no step of cells and items; nothing where it came to nothing. */
  back?: Promise<Back | null>;
  /** Where it was too large for one request, each of them in their order, without those that came to nothing. */
  pieces?: readonly Made[];
  /** Those of them that were taken back when that was stopped halfway. */
  taken?: readonly Made[];
}

export const STEPS_MAX = 100;

/** Steps in their order; a new step forgets those that were taken back. */
export class History {
  private done: Made[] = [];
  private undone: Made[] = [];

  add(made: Made): void {
    this.done = [...this.done, made].slice(-STEPS_MAX);
    this.undone = [];
  }

  /** The last step, to be taken back; `null` where there is none. */
  last(way: 'undo' | 'redo'): Made | null {
    return (way === 'undo' ? this.done : this.undone).at(-1) ?? null;
  }

  /** A step came to nothing; one in pieces is of what its others came to. */
  forget(at: number): void {
    this.done = this.done.filter((made) => made.at !== at || made.pieces);
  }

  /** A step is another now, on the side where it is. */
  became(made: Made, now: Made): void {
    for (const side of [this.done, this.undone]) {
      const at = side.indexOf(made);
      if (at >= 0) side[at] = now;
    }
  }

  /** A step went from one side to the other, as what it is now; or it is forgotten. */
  moved(way: 'undo' | 'redo', made: Made, now: Made | null): void {
    const [from, to] = way === 'undo' ? [this.done, this.undone] : [this.undone, this.done];
    const at = from.indexOf(made);
    if (at >= 0) from.splice(at, 1);
    if (now) to.push(now);
  }
}
