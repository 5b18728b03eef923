/** What is written along an axis: its numbers, and names where there is not room for all of each. */

/** Width of a letter at 11 px, near enough to cut labels that do not fit. */
export const LETTER_PX = 6.2;

/** The width that the numbers along an upright axis get: in steps, so that a chart does not move to the side with each digit that a filter adds. */
export const besideAxis = (texts: readonly string[]) =>
  Math.ceil(Math.max(...texts.map(({ length }) => length)) / 3) * 3 * LETTER_PX;

/** As many letters as a width has room for, an ellipsis where some are left out; nothing where that would be all. */
const cut = (text: string, width_px: number) => {
  const letters = Math.floor(width_px / LETTER_PX);
  if (text.length <= letters) return text;
  return letters < 2 ? '' : `${text.slice(0, letters - 1)}…`;
};

function sharedLength(texts: readonly string[]): number {
  const [first = '', ...others] = texts;
  let length = 0;
  while (length < first.length && others.every((one) => one[length] === first[length])) length += 1;
  return length;
}

/** Names cut to a width so that no two different ones read alike: where their beginnings are the same, what differs is kept. */
export function cutApart(texts: readonly string[], width_px: number): string[] {
  const letters = Math.floor(width_px / LETTER_PX);
  const short = new Map(texts.map((text) => [text, cut(text, width_px)]));
  const head = Math.max(1, Math.floor((letters - 1) / 3));
  const room = letters - head - 1;
  const tell = (group: readonly string[]) => {
    const alike = new Map<string, string[]>();
    for (const text of group) alike.set(short.get(text)!, [...(alike.get(short.get(text)!) ?? []), text]);
    for (const same of alike.values()) {
      if (same.length < 2) continue;
      const shared = sharedLength(same);
      for (const text of same) {
        // The word or the number that differs from its beginning, where there is room for that.
        const word = /[\p{L}\p{N}]*$/u.exec(text.slice(0, shared))![0].length;
        const rest = text.slice(word < room / 2 ? shared - word : shared);
        short.set(text, `${text.slice(0, head)}…${rest.length <= room ? rest : `${rest.slice(0, room - 1)}…`}`);
      }
      // Those that begin to differ at another place; as there are fewer of them, this ends.
      if (same.length < group.length || new Set(same.map((text) => short.get(text))).size > 1) tell(same);
    }
  };
  if (room >= 2) tell([...short.keys()]);
  return texts.map((text) => short.get(text)!);
}

/** How the names under columns are written. */
export interface Underneath {
  texts: string[];
  isAslant: boolean;
  /** Pixels that they take below the columns. */
  height: number;
  /** How far each reaches to the left of its column's middle. */
  reaches: number[];
}

/** Names at least this wide can be told from one another where they stand upright. */
const UPRIGHT_PX = 64;
const ASLANT_PX_MAX = 104;
/** Of a line at 45 degrees: how far it goes to each side. */
const ASLANT = Math.SQRT1_2;
const UPRIGHT_HEIGHT_PX = 22;

/** Upright where there is room, else aslant, in at most so many pixels. */
export function underneath(labels: readonly string[], step_px: number, height_px: number): Underneath {
  const room = step_px - 4;
  const upright = labels.map((label) => cut(label, room));
  const isCut = upright.some((text, at) => text !== labels[at]);
  const areAlike = new Set(upright).size < new Set(labels).size;
  if (!isCut || (room >= UPRIGHT_PX && !areAlike))
    return { texts: upright, isAslant: false, height: UPRIGHT_HEIGHT_PX, reaches: labels.map(() => 0) };
  const longest = Math.min(ASLANT_PX_MAX, height_px / ASLANT - UPRIGHT_HEIGHT_PX);
  const texts = cutApart(labels, longest);
  const px = texts.map((text) => text.length * LETTER_PX * ASLANT);
  return { texts, isAslant: true, height: Math.ceil(Math.max(...px)) + UPRIGHT_HEIGHT_PX - 6, reaches: px };
}

/** What is written at each value: in short, but all of them in full where different ones would read alike. What is stacked has its own words. */
export function figures(points: readonly { text: string; full: string; parts?: unknown }[]): string[] {
  if (points.some(({ parts }) => parts)) return points.map(({ text }) => text);
  const fulls = new Map<string, Set<string>>();
  for (const { text, full } of points) fulls.set(text, (fulls.get(text) ?? new Set()).add(full));
  const areAlike = [...fulls.values()].some((same) => same.size > 1);
  return points.map(({ text, full }) => (areAlike ? full : text));
}
