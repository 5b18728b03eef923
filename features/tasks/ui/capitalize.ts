/** Capitals while typing: the first letter of a task, and of each sentence. Addresses, paths, and abbreviations stay. */

/** Words with a period after which no sentence begins. */
const ABBREVIATIONS = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|ca|approx|no|nr|st|mr|mrs|ms|dr|prof|inc|fig|p|pp)\.$/i;

/** Whether a word is written on purpose as it is: mixed case, digits, an address, a path, a file, or code. */
const isOwn = (word: string) => /[A-Z]/.test(word) || /[\d/\\@_:~`#<>=]/.test(word) || /\w\.\w/.test(word);

/**
 * The text with capitals where its words begin sentences. Only words before `caret` that are complete are changed, so that
 * a word isn't changed before it's known. `kept` are positions whose letter stays, since you undid its capital.
 */
export function capitalize(text: string, caret = text.length, kept: ReadonlySet<number> = new Set()): string {
  let result = text;
  for (const match of text.matchAll(/\S+/g)) {
    const [word] = match;
    const end = match.index + word.length;
    // A word is complete once something follows it.
    if (end >= caret) break;
    const lead = /^[("'[]*/.exec(word)![0].length;
    const at = match.index + lead;
    const letter = text[at];
    if (letter === undefined || !/\p{Ll}/u.test(letter) || kept.has(at)) continue;
    const before = text.slice(0, match.index).trimEnd();
    const begins =
      before === '' || (/[.!?][)"'\]]*$/.test(before) && !/\.\.$/.test(before) && !ABBREVIATIONS.test(before));
    const bare = word.slice(lead).replace(/[.,;!?)"'\]]+$/, '');
    if (!begins || isOwn(bare) || ABBREVIATIONS.test(word)) continue;
    const capital = letter.toLocaleUpperCase();
    // Some capitals have two letters, which would move the caret.
    if (capital.length === letter.length) result = result.slice(0, at) + capital + result.slice(at + 1);
  }
  return result;
}

/** The positions at which two texts of one length differ. */
export const differing = (a: string, b: string): number[] =>
  [...a].flatMap((_, at) => (a[at] === b[at] ? [] : [at])).filter((at) => at < b.length);
