/** Where rows are in the list: groups with a heading each, one below the other. Rows themselves are loaded in chunks. */
import type { Schemas } from '@shell/client';

export type Group = Schemas['InboxGroup'];

/** Rows that are loaded together. */
export const CHUNK_ROWS = 200;

/** A line of the list: a group's heading, or a row by its position in its group. */
export type Line = { kind: 'head'; group: Group } | { kind: 'row'; group: Group; at: number; row: number };

/** A chunk of a group's rows. */
export interface Chunk {
  group: Group;
  /** 0 for the first `CHUNK_ROWS` rows. */
  number: number;
  /** Its first row, counted over all groups. */
  row: number;
}

export interface Layout {
  lines: number;
  rows: number;
  lineAt: (line: number) => Line | undefined;
  /** The line of a row, counted over all groups. */
  lineOf: (row: number) => number;
  /** The chunks with rows on these lines. */
  chunks: (first: number, last: number) => Chunk[];
}

/** Headings are left out if rows aren't grouped. */
export function layoutOf(groups: readonly Group[], hasHeads: boolean): Layout {
  const head = hasHeads ? 1 : 0;
  let [lines, rows] = [0, 0];
  const starts = groups.map((group) => {
    const start = { group, line: lines, row: rows };
    lines += group.rows + head;
    rows += group.rows;
    return start;
  });
  /** The last start that isn't after a position. */
  const startAt = (of: 'line' | 'row', position: number) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]![of] <= position) low = middle;
      else high = middle - 1;
    }
    return starts[low];
  };
  const lineAt = (line: number): Line | undefined => {
    if (line < 0 || line >= lines) return undefined;
    const start = startAt('line', line)!;
    const at = line - start.line - head;
    return at < 0 ? { kind: 'head', group: start.group } : { kind: 'row', group: start.group, at, row: start.row + at };
  };
  return {
    lines,
    rows,
    lineAt,
    lineOf: (row) => {
      const start = startAt('row', row);
      return start ? start.line + head + (row - start.row) : 0;
    },
    chunks: (first, last) => {
      const found: Chunk[] = [];
      for (let line = Math.max(0, first); line <= Math.min(last, lines - 1); line += 1) {
        const here = lineAt(line);
        if (here?.kind !== 'row') continue;
        const number = Math.floor(here.at / CHUNK_ROWS);
        const newest = found.at(-1);
        if (newest?.group !== here.group || newest.number !== number)
          found.push({ group: here.group, number, row: here.row - (here.at % CHUNK_ROWS) });
      }
      return found;
    },
  };
}
