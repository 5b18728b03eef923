/** The texts of transcript rows, for the page and for the search in it. */
import type { Ask } from './data';
import { reasonOfAllowed } from './grouped';
import { standing } from './states';
import type { Asked, Note, Row, ToolUse } from './transcript';

/** Maximum characters of a tool call's input. */
const INPUT_CHARS_MAX = 20_000;

export const firstLine = (text: string) => text.trimStart().split('\n', 1)[0]!.slice(0, 200);

/** A tool call on one line. */
export const lineOf = (tool: ToolUse) =>
  firstLine(tool.command || tool.paths?.join(', ') || tool.title || tool.name || '');

/** The input of a tool call that has nothing else to show. */
export function inputOf(tool: ToolUse, output: readonly unknown[]): string | null {
  const isBare = output.length === 0 && !tool.command && !tool.paths?.length;
  if (!isBare || tool.input === undefined || tool.input === null) return null;
  return JSON.stringify(tool.input, null, 2).slice(0, INPUT_CHARS_MAX);
}

const WHO: Readonly<Record<string, string>> = {
  owner: 'you',
  cli: 'your script',
  agent: 'another session',
  member: 'a member',
  program: 'a rule',
};

const VERDICTS: Readonly<Record<string, string>> = { refused: 'denied', withdrawn: 'canceled' };

/** The outcome of a request: who answered, and which rule decided. */
export function outcome(verdict: string | null, by: string | null | undefined, why: string): string {
  if (verdict === null) return 'needs your answer';
  const word = VERDICTS[verdict] ?? verdict;
  const who = verdict === 'withdrawn' ? '' : by ? ` by ${WHO[by] ?? by}` : why ? ' by a rule' : '';
  return `${word}${who}${why ? `: ${why}` : ''}`;
}

const ASKED: Readonly<Record<Asked, string>> = {
  permission: 'Permission requested (',
  plan: 'Plan needs approval (',
  question: 'Question for you (',
};

/** A request in three parts, the middle one being code. */
export function askParts(row: Extract<Row, { kind: 'ask' }>, ask: Ask | undefined): readonly [string, string, string] {
  const verdict = ask ? ask.answer : row.verdict;
  return [
    ASKED[row.what],
    firstLine(row.title),
    `): ${row.isRepeat ? row.why : outcome(verdict, ask?.answeredBy, row.why)}`,
  ];
}

/** A line of the transcript. */
export function lineText(row: Extract<Row, { kind: 'line' }>): string {
  const text = row.text.startsWith('state:') ? standing(row.text.slice(6)).word : row.text;
  const isRepeated = row.text.startsWith('state:') && row.detail.toLowerCase().includes(text.toLowerCase());
  if (isRepeated) return row.detail;
  return row.detail ? `${text}: ${row.detail}` : text;
}

/** A folded line. */
export const noteText = (note: Note) => (note.kind === 'ask' ? reasonOfAllowed(note) : lineText(note));
