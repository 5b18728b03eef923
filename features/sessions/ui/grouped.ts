/**
 * Rows as the page shows them: what a rule allowed is part of the tool call that it allowed, and notes in a row are folded
 * into one. Nothing is left out: both can be expanded.
 */
import type { Note, Row } from './transcript';

type Tool = Extract<Row, { kind: 'tool' }>;

/** The reason of a request that was allowed without you. */
export const reasonOfAllowed = (row: Extract<Row, { kind: 'ask' }>): string =>
  row.isByRule || row.isRepeat ? row.why : `Allowed automatically${row.why ? `: ${row.why}` : ''}`;

/** Whether Pilothouse allowed something without you. */
export const isAllowedByRule = (row: Row): boolean =>
  row.kind === 'ask' ? row.isAutomatic && row.verdict === 'allowed' : row.kind === 'line' && row.note === 'allowed';

const isNote = (row: Row): row is Note =>
  row.kind === 'line' ? row.note !== null : row.kind === 'ask' && isAllowedByRule(row);

/** What a line and its tool call have in common: the id in a request, and the command where the hook allowed it. */
const keyOf = (row: Note) => (row.kind === 'ask' ? `id ${row.tool}` : `what ${row.detail}`);
const keysOf = ({ tool }: Tool) => [`id ${tool.id}`, `what ${tool.command ?? tool.title}`];

/** The reasons of tool calls, by their rows' indexes, and the indexes of the lines that tell them. */
function reasonsOf(rows: readonly Row[]) {
  const reasons = new Map<number, string[]>();
  const told = new Set<number>();
  // A turn's tool calls, and lines that came before theirs.
  const tools = new Map<string, number>();
  const waiting = new Map<string, number[]>();
  const give = (tool: number, line: number) => {
    const row = rows[line] as Note;
    const reason = row.kind === 'ask' ? reasonOfAllowed(row) : row.text;
    const before = reasons.get(tool) ?? [];
    if (reason !== '' && !before.includes(reason)) reasons.set(tool, [...before, reason]);
    told.add(line);
  };
  rows.forEach((row, at) => {
    if (row.kind === 'prompt') {
      tools.clear();
      waiting.clear();
    } else if (row.kind === 'tool') {
      for (const key of keysOf(row)) {
        tools.set(key, at);
        for (const line of waiting.get(key) ?? []) give(at, line);
        waiting.delete(key);
      }
    } else if (isNote(row) && isAllowedByRule(row)) {
      const key = keyOf(row);
      const tool = tools.get(key);
      // The same command again: its own tool call is still to come.
      const isTaken = row.kind === 'line' && tool !== undefined && reasons.has(tool) && isOver(rows[tool]);
      if (tool !== undefined && !isTaken) give(tool, at);
      else waiting.set(key, [...(waiting.get(key) ?? []), at]);
    }
  });
  return { reasons, told };
}

const isOver = (row: Row | undefined) => row?.kind === 'tool' && (row.state === 'completed' || row.state === 'failed');

/** Rows made here, by what they are made from, so that an unchanged one isn't drawn again. */
const explained = new WeakMap<Row, Tool>();
const folded = new WeakMap<Row, Extract<Row, { kind: 'notes' }>>();

function withReasons(row: Tool, reasons: readonly string[]): Tool {
  const before = explained.get(row);
  if (before && before.reasons.join('\n') === reasons.join('\n')) return before;
  const made = { ...row, reasons };
  explained.set(row, made);
  return made;
}

function fold(notes: readonly Note[]): Row {
  const [first] = notes as [Note];
  if (notes.length === 1) return first;
  const before = folded.get(first);
  if (before && before.notes.length === notes.length && before.notes.every((note, at) => note === notes[at]))
    return before;
  const { key, at } = first;
  const made = { kind: 'notes' as const, key, at, number: Math.max(...notes.map(({ number }) => number)), notes };
  folded.set(first, made);
  return made;
}

/** Folds the rows of a transcript. */
export function grouped(rows: readonly Row[]): readonly Row[] {
  const { reasons, told } = reasonsOf(rows);
  const shown: Row[] = [];
  let notes: Note[] = [];
  const end = () => {
    if (notes.length > 0) shown.push(fold(notes));
    notes = [];
  };
  rows.forEach((row, at) => {
    if (told.has(at)) return;
    if (isNote(row)) return void notes.push(row);
    end();
    const why = reasons.get(at);
    shown.push(why && row.kind === 'tool' ? withReasons(row, why) : row);
  });
  end();
  return shown;
}
