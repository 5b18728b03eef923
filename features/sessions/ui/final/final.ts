/**
 * "Show only the final message": which rows of a turn are shown, which are folded, and where its markers divide them. Pure:
 * rows and options in, parts out. Nothing is lost: a fold can be expanded, and then its rows are in their places.
 *
 * What you have to read is never folded: your messages, requests, and what went wrong. A turn that goes on is shown whole.
 */
import { isAllowedByRule } from '../grouped';
import { firstOf, type Row } from '../transcript';
import { partsOf } from './marker';

/** The switch and its settings. */
export interface FinalOptions {
  isOn: boolean;
  /** Whether the engine's boundary decides if the marker is elsewhere. */
  boundaryWins: boolean;
  /** Whether what is before the marker is folded in turns without tools, too. */
  alwaysHides: boolean;
  /** Whether a line is drawn at each marker and nothing is folded. */
  isDebug: boolean;
  /** Whether all final messages of a turn are shown, not only the last. */
  showsAllBlocks: boolean;
  /** Whether text after the last tool call is always shown. */
  hasFloor: boolean;
}

/** A row, and the key of the fold that it's in. */
export interface Part {
  row: Row;
  fold: string | null;
}

/** Whether a row is text of the agent, or another part of its answer. */
const isContent = (row: Row) => row.kind === 'text' || row.kind === 'picture' || row.kind === 'link';

/** Whether a row can be folded although it's no part of an answer. */
const isStep = (row: Row) =>
  row.kind === 'tool' ||
  row.kind === 'thought' ||
  row.kind === 'plan' ||
  row.kind === 'notes' ||
  (row.kind === 'line' && row.note !== null) ||
  (row.kind === 'ask' && isAllowedByRule(row));

const beginsTurn = (row: Row) => row.kind === 'prompt' && !row.isSteered;

/** The rows in turns. What comes before the first message is one as well. */
function turnsOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const turns: Row[][] = [];
  for (const row of rows) {
    if (turns.length === 0 || beginsTurn(row)) turns.push([row]);
    else turns.at(-1)!.push(row);
  }
  return turns;
}

/** Whether the last turn goes on, or its end isn't loaded. `ended` is the entry with which a turn last ended. */
export function isLastTurnOpen(
  rows: readonly Row[],
  { ended, hasNewer, isActive }: { ended: number; hasNewer: boolean; isActive: boolean },
): boolean {
  const begin = rows.findLast(beginsTurn) ?? rows[0];
  return hasNewer || (isActive && firstOf(begin) > ended);
}

/** Rows made here, by what they are made from, so that an unchanged one isn't drawn again. */
const pieces = new WeakMap<Row, readonly (Row | null)[]>();
const whole = new WeakMap<Row, Extract<Row, { kind: 'text' }>>();
const folds = new WeakMap<Row, Extract<Row, { kind: 'steps' }>>();

/** A text in rows, with nothing in the place of empty parts. Before each but the first, there is a marker. */
function piecesOf(row: Extract<Row, { kind: 'text' }>): readonly (Row | null)[] {
  const known = pieces.get(row);
  if (known) return known;
  const parts = partsOf(row.text, row.isOpen);
  const made =
    parts.length === 1 && parts[0] === row.text
      ? [row]
      : parts.map((text, at) => (text.trim() === '' ? null : { ...row, text, key: at ? `${row.key}~${at}` : row.key }));
  pieces.set(row, made);
  return made;
}

/** A text in one row, without markers; null if nothing is left. */
function joined(row: Extract<Row, { kind: 'text' }>): Row | null {
  const parts = piecesOf(row);
  if (parts.length === 1) return parts[0]!;
  const made = whole.get(row) ?? { ...row, text: partsOf(row.text, row.isOpen).join('') };
  whole.set(row, made);
  return made.text.trim() === '' ? null : made;
}

/** A turn's rows without markers, and the indexes of the rows that come after one. */
function divided(turn: readonly Row[]) {
  const rows: Row[] = [];
  const marks: number[] = [];
  for (const row of turn) {
    if (row.kind !== 'text') {
      rows.push(row);
      continue;
    }
    piecesOf(row).forEach((piece, at) => {
      if (at > 0) marks.push(rows.length);
      if (piece) rows.push(piece);
    });
  }
  return { rows, marks };
}

/** The index from which the engine says that the answer is, or where it follows from its tool calls; null if unknown. */
function boundaryOf(rows: readonly Row[], lastTool: number): number | null {
  const isFinal = (row: Row) => row.kind === 'text' && row.phase === 'finalAnswer';
  const said = rows.findIndex((row, at) => at > lastTool && isFinal(row));
  const told = said >= 0 ? said : rows.findLastIndex(isFinal);
  if (told >= 0) return told;
  if (lastTool < 0) return null;
  const after = rows.findIndex((row, at) => at > lastTool && isContent(row));
  const last = after >= 0 ? after : rows.findLastIndex(isContent);
  return last >= 0 ? last : null;
}

/** The final messages between markers, as ranges of indexes. One ends with a tool call if another one follows. */
function blocksOf(rows: readonly Row[], marks: readonly number[]): readonly (readonly [number, number])[] {
  const has = (from: number, to: number) => rows.some((row, at) => at >= from && at < to && isContent(row));
  const starts = marks.filter((mark, at) => has(mark, marks[at + 1] ?? rows.length));
  return starts.map((from, at) => {
    const next = starts[at + 1];
    if (next === undefined) return [from, rows.length];
    const tool = rows.findIndex((row, index) => index >= from && index < next && row.kind === 'tool');
    return [from, tool < 0 ? next : tool];
  });
}

/** Which rows of a turn are shown. */
function shownOf(rows: readonly Row[], marks: readonly number[], options: FinalOptions): readonly boolean[] {
  const lastTool = rows.findLastIndex(({ kind }) => kind === 'tool');
  const boundary = boundaryOf(rows, lastTool);
  const blocks = blocksOf(rows, marks);
  const last = blocks.at(-1);
  const shownBlocks = options.showsAllBlocks ? blocks : blocks.slice(-1);
  const contentFrom = (index: number) => rows.findIndex((row, at) => at >= index && isContent(row));
  const disagrees = last !== undefined && boundary !== null && contentFrom(last[0]) !== contentFrom(boundary);
  const isMarked = (at: number) => shownBlocks.some(([from, to]) => at >= from && at < to);
  const isAnswer = (at: number) => {
    if (!last || (disagrees && options.boundaryWins)) return at >= (boundary ?? 0);
    if (lastTool < 0 && !options.alwaysHides) return true;
    return isMarked(at) || (options.hasFloor && lastTool >= 0 && at > lastTool);
  };
  return rows.map((row, at) => (isContent(row) ? isAnswer(at) : !isStep(row)));
}

function foldOf(hidden: readonly Row[]): Extract<Row, { kind: 'steps' }> {
  const first = hidden[0]!;
  const number = Math.max(...hidden.map((row) => row.number));
  const before = folds.get(first);
  if (before && before.count === hidden.length && before.number === number) return before;
  const made = { kind: 'steps' as const, key: `${first.key}.`, at: first.at, number, count: hidden.length };
  folds.set(first, made);
  return made;
}

const dividerAt = (rows: readonly Row[], mark: number, nth: number): Row => {
  const { at, number, key } = rows[mark] ?? rows[mark - 1]!;
  return { kind: 'divider', key: `${key}|${nth}`, at, number };
};

/** The parts of a turn. */
function partsOfTurn(turn: readonly Row[], options: FinalOptions, isOpen: boolean): readonly Part[] {
  if (!options.isOn)
    return turn.flatMap((row) => (row.kind === 'text' ? (joined(row) ?? []) : row)).map((row) => ({ row, fold: null }));
  const { rows, marks } = divided(turn);
  const all = rows.map((row): Part => ({ row, fold: null }));
  if (options.isDebug) {
    const drawn = marks.filter(() => rows.length > 0);
    return [...all.keys(), all.length].flatMap((at) => [
      ...drawn.flatMap((mark, nth) => (mark === at ? [{ row: dividerAt(rows, mark, nth), fold: null }] : [])),
      ...(all[at] ? [all[at]] : []),
    ]);
  }
  const isEmpty = !rows.some((row) => isContent(row) || row.kind === 'tool');
  if (isOpen || isEmpty) return all;
  const isShown = shownOf(rows, marks, options);
  const hidden = rows.filter((_, at) => !isShown[at]);
  if (hidden.length === 0) return all;
  const fold = foldOf(hidden);
  return rows.flatMap((row, at): Part[] => [
    ...(row === hidden[0] ? [{ row: fold, fold: null }] : []),
    { row, fold: isShown[at] ? null : fold.key },
  ]);
}

/** The rows of a transcript as parts. `isOpen` is whether its last turn goes on. */
export function finalMessage(rows: readonly Row[], options: FinalOptions, isOpen: boolean): readonly Part[] {
  const turns = turnsOf(rows);
  return turns.flatMap((turn, at) => partsOfTurn(turn, options, isOpen && at === turns.length - 1));
}

/** The rows that are drawn. */
export const drawnRows = (parts: readonly Part[], unfolded: ReadonlySet<string>): readonly Row[] =>
  parts.flatMap(({ row, fold }) => (fold === null || unfolded.has(fold) ? [row] : []));
