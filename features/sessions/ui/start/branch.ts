/** Proposed names of branches for worktrees. */

const WORDS_CHARS_MAX = 40;

/** The start of a message in the characters of branch names. */
function slug(message: string): string {
  const line = message.split('\n').find((one) => one.trim() !== '') ?? '';
  const words = line
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  const short = words.slice(0, WORDS_CHARS_MAX);
  // Cut between words if possible.
  const whole = words.length > WORDS_CHARS_MAX && words[WORDS_CHARS_MAX] !== '-' ? short.replace(/-[^-]*$/, '') : short;
  return whole.replace(/-$/, '') || 'session';
}

/** The end of a name that no other branch has. */
export const newTail = (): string =>
  Math.floor(Math.random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0');

/** The branch proposed for a message; empty without one. A message sent twice gets two branches by their tails. */
export const proposedBranch = (message: string, tail: string): string =>
  message.trim() === '' ? '' : `pilothouse/${slug(message)}-${tail}`;
