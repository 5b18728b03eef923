/** Finds labels by typed text. */
import type { Label } from '../data';

export interface Typed {
  /** What was typed of the text so far, as far as a label has it. */
  letters: string;
  /** The label, if there is one. */
  id: string | undefined;
}

const folded = (text: string) => text.trim().toLocaleLowerCase();

/**
 * The label after another typed letter: one that begins with all letters, otherwise one that contains them. The same
 * letter again moves to the next match after `chosen`.
 */
export function labelTyped(labels: readonly Label[], letters: string, letter: string, chosen: string): Typed {
  const one = letter.toLocaleLowerCase();
  const all = letters + one;
  const from = labels.findIndex(({ id }) => id === chosen);
  // While a text is being typed the label that is chosen may be the one that is meant.
  const inTurn = (begin: number) => [...labels.slice(begin), ...labels.slice(0, begin)];
  const found = (typed: string, among: readonly Label[]) =>
    among.find(({ text }) => folded(text).startsWith(typed)) ?? among.find(({ text }) => folded(text).includes(typed));
  const meant = letters === '' ? undefined : found(all, inTurn(Math.max(from, 0)));
  if (meant) return { letters: all, id: meant.id };
  if (letters !== '' && letters !== one) return { letters, id: undefined };
  const next = found(one, inTurn(from + 1));
  return next ? { letters: one, id: next.id } : { letters: '', id: undefined };
}
