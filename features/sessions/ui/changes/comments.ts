/** Comments on lines of a diff: kept in this tab until they are sent to the agent in one message. */
import { useSyncExternalStore } from 'react';

export interface LineComment {
  path: string;
  /** The line's number, in the base if it was removed. */
  line: number;
  isRemoved: boolean;
  /** The line itself, so that the agent finds it after the file changed. */
  quote: string;
  text: string;
}

const listeners = new Set<() => void>();
const held = new Map<string, readonly LineComment[]>();
const NONE: readonly LineComment[] = [];
const storedAs = (session: string) => `pilothouse.comments.${session}`;

function read(session: string): readonly LineComment[] {
  let comments = held.get(session);
  if (comments === undefined) {
    try {
      comments = JSON.parse(sessionStorage.getItem(storedAs(session)) ?? '[]') as LineComment[];
    } catch {
      comments = NONE;
    }
    held.set(session, comments);
  }
  return comments;
}

function write(session: string, comments: readonly LineComment[]) {
  held.set(session, comments);
  try {
    if (comments.length === 0) sessionStorage.removeItem(storedAs(session));
    else sessionStorage.setItem(storedAs(session), JSON.stringify(comments));
  } catch {
    // Storage may be off or full; the comments then live as long as the page.
  }
  for (const listener of listeners) listener();
}

const isSame = (a: Omit<LineComment, 'text' | 'quote'>, b: Omit<LineComment, 'text' | 'quote'>) =>
  a.path === b.path && a.line === b.line && a.isRemoved === b.isRemoved;

/** The comments of a session that were not sent yet, and how to change them. An empty text removes a comment. */
export function useComments(session: string) {
  const comments = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => read(session),
  );
  return {
    comments,
    put: (comment: LineComment) => {
      const others = read(session).filter((one) => !isSame(one, comment));
      write(session, comment.text.trim() ? [...others, comment] : others);
    },
    clear: () => write(session, NONE),
    at: (where: Omit<LineComment, 'text' | 'quote'>) => comments.find((one) => isSame(one, where)),
  };
}

/** The comments as one message to the agent, by file and line. */
export function messageOf(comments: readonly LineComment[]): string {
  const sorted = [...comments].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const parts = sorted.map(({ path, line, isRemoved, quote, text }) => {
    const where = `${path}:${line}${isRemoved ? ' (removed line)' : ''}`;
    return `${where}\n> ${quote.trim().slice(0, 200)}\n${text.trim()}`;
  });
  return `Review comments on your changes:\n\n${parts.join('\n\n')}`;
}
