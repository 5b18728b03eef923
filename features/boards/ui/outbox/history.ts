/** The person's steps on this page, to take them back and to do them again. */
import type { Parts } from './step';

/** Undoes a change; returns how to redo it, or null if that isn't possible. */
export type Back = () => Promise<Back | null>;

/** Result of a step: its revision, no change needed, or null if rejected or discarded. */
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
