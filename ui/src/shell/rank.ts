import type { Command } from '../feature';

/** Maximum number of results. More words find the others. */
export const MOST_RESULTS = 40;

/** Commands that contain every word of the query, best first: matches in the label, then at the start of a word. */
export function rank(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.slice(0, MOST_RESULTS);
  const scored: { command: Command; score: number; place: number }[] = [];
  commands.forEach((command, place) => {
    const label = command.label.toLowerCase();
    const rest = `${command.group} ${command.keywords ?? ''} ${command.detail ?? ''}`.toLowerCase();
    let score = label === words.join(' ') ? 8 : 0;
    for (const word of words) {
      const at = label.indexOf(word);
      if (at === 0) score += 4;
      else if (at > 0) score += /\W/.test(label.charAt(at - 1)) ? 3 : 2;
      else if (rest.includes(word)) score += 1;
      else return;
    }
    scored.push({ command, score, place });
  });
  return scored
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, MOST_RESULTS)
    .map((s) => s.command);
}
