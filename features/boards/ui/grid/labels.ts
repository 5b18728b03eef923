/** Finding a label by what is typed of its text. */
import type { Label } from '../data';

export interface Typed {
  /** What was typed of the text so far; nothing where no label has it. */
  letters: string;
  /** The label, if there is one. */
  id: string | undefined;
}

const folded = (text: string) => text.trim().toLocaleLowerCase();

/** The label after another letter: the one whose text begins with all letters, or with this one, the next after `chosen`. */
export function labelTyped(labels: readonly Label[], letters: string, letter: string, chosen: string): Typed {
  const all = (letters + letter).toLocaleLowerCase();
  const longer = letters === '' ? undefined : labels.find(({ text }) => folded(text).startsWith(all));
  if (longer) return { letters: all, id: longer.id };
  const first = letter.toLocaleLowerCase();
  const from = labels.findIndex(({ id }) => id === chosen) + 1;
  const next = [...labels.slice(from), ...labels.slice(0, from)].find(({ text }) => folded(text).startsWith(first));
  return next ? { letters: first, id: next.id } : { letters: '', id: undefined };
}
