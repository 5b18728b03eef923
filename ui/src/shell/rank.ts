import type { Command } from '../feature';

/** Maximum number of the page's own results. More words find the others. */
export const MOST_RESULTS = 80;

/** What the order depends on besides the words. */
export interface RankOptions {
  /** Results of the server, which has limited them. */
  found?: readonly Command[];
  /** Ids of the commands that were chosen last, newest first. */
  recent?: readonly string[];
}

/** How well a command matches: 0 if a word is missing. */
function scoreOf(command: Command, words: readonly string[]): number {
  const label = command.label.toLowerCase();
  const rest = `${command.group} ${command.keywords ?? ''} ${command.detail ?? ''}`.toLowerCase();
  let score = label === words.join(' ') ? 8 : 0;
  for (const word of words) {
    const at = label.indexOf(word);
    if (at === 0) score += 4;
    else if (at > 0) score += /\W/.test(label.charAt(at - 1)) ? 3 : 2;
    else if (rest.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

/**
 * Commands that contain every word of the query, best first: matches in the label, then at the start of a word. Of equal
 * matches, the last chosen come first, and settings last.
 */
export function rank(commands: readonly Command[], query: string, { found = [], recent = [] }: RankOptions = {}) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.slice(0, MOST_RESULTS);
  const newness = new Map(recent.map((id, at) => [id, at]));
  const known = new Set(commands.map(({ id }) => id));
  const isFound = (place: number) => place >= commands.length;
  const scored = [...commands, ...found.filter(({ id }) => !known.has(id))]
    .map((command, place) => ({
      command,
      place,
      score: scoreOf(command, words),
      age: newness.get(command.id) ?? recent.length,
    }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        a.age - b.age ||
        Number(a.command.isLast ?? false) - Number(b.command.isLast ?? false) ||
        a.place - b.place,
    );
  let own = 0;
  return scored.filter(({ place }) => isFound(place) || own++ < MOST_RESULTS).map(({ command }) => command);
}
