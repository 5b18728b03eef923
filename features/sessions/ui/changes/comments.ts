/** Comments on lines of a diff: kept in this tab until they are sent to the agent in one message. */
import { useMemo } from 'react';
import { perSignIn } from '@shell/session';
import { shared } from '@shell/shared';

export interface LineComment {
  path: string;
  /** The line's number, in the base if it was removed. */
  line: number;
  isRemoved: boolean;
  /** The line itself, so that the agent finds it after the file changed. */
  quote: string;
  text: string;
}

const STORED = 'pilothouse.comments.';
const all = shared<Readonly<Record<string, readonly LineComment[]>>>({});
perSignIn(() => {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(STORED)) sessionStorage.removeItem(key);
  } catch {
    // Storage may be off.
  }
});

const read = (session: string): readonly LineComment[] => all.get()[session] ?? stored(session);

function stored(session: string): readonly LineComment[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED + session) ?? '[]') as LineComment[];
  } catch {
    return [];
  }
}

function write(session: string, comments: readonly LineComment[]) {
  try {
    if (comments.length === 0) sessionStorage.removeItem(STORED + session);
    else sessionStorage.setItem(STORED + session, JSON.stringify(comments));
  } catch {
    // Storage may be off or full; the comments then live as long as the page.
  }
  all.set({ ...all.get(), [session]: comments });
}

const isSame = (a: Omit<LineComment, 'text' | 'quote'>, b: Omit<LineComment, 'text' | 'quote'>) =>
  a.path === b.path && a.line === b.line && a.isRemoved === b.isRemoved;

/** The comments of a session that were not sent yet, and how to change them. An empty text removes a comment. */
export function useComments(session: string) {
  const held = all.use()[session];
  const comments = useMemo(() => held ?? stored(session), [held, session]);
  return {
    comments,
    put: (comment: LineComment) => {
      const others = read(session).filter((one) => !isSame(one, comment));
      write(session, comment.text.trim() ? [...others, comment] : others);
    },
    clear: () => write(session, []),
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
