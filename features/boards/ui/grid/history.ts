/** What was edited on this page, to take it back and to do it again. */
import type { CellValue } from '../data';

/** A cell that changed. */
export interface CellChange {
  item: string;
  column: string;
  before: CellValue;
  after: CellValue;
}

export const STEPS_MAX = 100;

/** Steps of one or many cells; a new step forgets those that were taken back. */
export class History {
  private done: CellChange[][] = [];
  private undone: CellChange[][] = [];

  add(step: CellChange[]): void {
    if (step.length === 0) return;
    this.done = [...this.done, step].slice(-STEPS_MAX);
    this.undone = [];
  }

  /** The cells as they were before the last step, or `null`. */
  undo(): CellChange[] | null {
    const step = this.done.pop();
    if (!step) return null;
    this.undone.push(step);
    return step.map(({ before, after, ...cell }) => ({ ...cell, before: after, after: before }));
  }

  /** The last step that was taken back, once more, or `null`. */
  redo(): CellChange[] | null {
    const step = this.undone.pop();
    if (!step) return null;
    this.done.push(step);
    return step;
  }
}
