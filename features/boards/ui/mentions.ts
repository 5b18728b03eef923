import type { Member } from '@shell/members';
/**
 * Mentions in a comment. They are stored as `@[member-id]` and displayed as `@Name`. Names that aren't unique can't be used,
 * so those mentions are displayed with IDs.
 */

/** A run of plain text, or a mentioned member. */
export type Part = string | Member;

const MENTION = /@\[([A-Za-z0-9_-]{1,64})\]/g;
/** Characters that can't follow a complete name. */
const IN_WORD = /[\p{L}\p{N}_]/u;

/** The stored text in parts; ids that are no member's stay text. */
export function partsOf(text: string, members: readonly Member[]): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(MENTION)) {
    const member = members.find((one) => one.id === match[1]);
    if (!member) continue;
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push(member);
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Members with unique names, longest first, so that `Ann Lee` is matched before `Ann`. */
const nameable = (members: readonly Member[]) =>
  members
    .filter((member) => member.name !== '' && members.every((other) => other === member || other.name !== member.name))
    .sort((a, b) => b.name.length - a.name.length);

/** The stored text as it is typed: mentions by name. */
export function toDraft(text: string, members: readonly Member[]): string {
  const names = new Set(nameable(members));
  return partsOf(text, members)
    .map((part) => (typeof part === 'string' ? part : names.has(part) ? `@${part.name}` : `@[${part.id}]`))
    .join('');
}

/** The stored form of a typed text: names after an @ become mentions. */
export function fromDraft(draft: string, members: readonly Member[]): string {
  const named = nameable(members);
  let text = '';
  for (let at = 0; at < draft.length;) {
    const isStart = draft[at] === '@' && !IN_WORD.test(draft[at - 1] ?? ' ');
    const member = isStart
      ? named.find(({ name }) => draft.startsWith(name, at + 1) && !IN_WORD.test(draft[at + 1 + name.length] ?? ' '))
      : undefined;
    text += member ? `@[${member.id}]` : draft[at];
    at += member ? 1 + member.name.length : 1;
  }
  return text;
}

/** The mention being typed at the caret, if any: the position of its @, and the text after it. */
export function typing(draft: string, caret: number): { from: number; letters: string } | null {
  const from = draft.lastIndexOf('@', caret - 1);
  if (from < 0 || IN_WORD.test(draft[from - 1] ?? ' ')) return null;
  const letters = draft.slice(from + 1, caret);
  return letters.length > 64 || /[\n[\]@]/.test(letters) ? null : { from, letters };
}

const SUGGESTED_MAX = 8;

/** Members whose name, or a word of it, begins with the letters. */
export function suggest(letters: string, members: readonly Member[]): Member[] {
  const wanted = letters.toLocaleLowerCase();
  const begins = (member: Member) => {
    const name = member.name.toLocaleLowerCase();
    return name.startsWith(wanted) || name.split(/\s+/).some((word) => word.startsWith(wanted));
  };
  // A whole name with something after it is a mention that is over.
  return members.filter((member) => begins(member) && member.name !== letters).slice(0, SUGGESTED_MAX);
}

/** The draft with the mention at the caret completed, and the new caret position. */
export function complete(
  draft: string,
  caret: number,
  member: Member,
  members: readonly Member[],
): { draft: string; caret: number } {
  const at = typing(draft, caret);
  if (!at) return { draft, caret };
  const mention = nameable(members).includes(member) ? `@${member.name}` : `@[${member.id}]`;
  const before = `${draft.slice(0, at.from)}${mention} `;
  return { draft: before + draft.slice(caret).replace(/^ /, ''), caret: before.length };
}
