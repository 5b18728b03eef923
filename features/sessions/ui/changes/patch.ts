/** Reads a unified patch of one file: its hunks, and their lines with numbers. */

export interface PatchLine {
  sign: '+' | '-' | ' ';
  text: string;
  /** The line's number in the base; null if it was added. */
  before: number | null;
  /** The line's number in the folder; null if it was removed. */
  after: number | null;
}

export interface Hunk {
  /** What git shows as the place of the hunk, such as the name of a function. */
  title: string;
  lines: PatchLine[];
}

const HEAD = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** The hunks of a patch. Lines before the first one describe the file and are left out. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | null = null;
  let [before, after] = [0, 0];
  for (const line of patch.split('\n')) {
    const head = HEAD.exec(line);
    if (head) {
      [before, after] = [Number(head[1]), Number(head[2])];
      hunk = { title: head[3] ?? '', lines: [] };
      hunks.push(hunk);
      continue;
    }
    const sign = line[0];
    if (!hunk || (sign !== '+' && sign !== '-' && sign !== ' ')) continue;
    hunk.lines.push({
      sign,
      text: line.slice(1),
      before: sign === '+' ? null : before++,
      after: sign === '-' ? null : after++,
    });
  }
  return hunks;
}

/** Two lines side by side; one is null where the other side has none. */
export interface Pair {
  left: PatchLine | null;
  right: PatchLine | null;
}

/** The lines of a hunk side by side: removed lines beside the added ones that follow them. */
export function pairsOf(lines: readonly PatchLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.sign === '-') removed.push(line);
    else if (line.sign === '+') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
