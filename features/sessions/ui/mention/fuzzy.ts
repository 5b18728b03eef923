/** How well a name matches letters that were typed: higher is better, null if they don't occur in this order. */
export function fuzzyScore(name: string, typed: string): number | null {
  const [letters, wanted] = [name.toLowerCase(), typed.toLowerCase()];
  const whole = letters.indexOf(wanted);
  if (whole === 0) return 3;
  if (whole > 0) return /[a-z0-9]/.test(letters[whole - 1]!) ? 1 : 2;
  let at = -1;
  for (const letter of wanted) {
    at = letters.indexOf(letter, at + 1);
    if (at < 0) return null;
  }
  return 0;
}

/** The best matches first, and of equal ones those that come first in the list. */
export function fuzzyMatches<T>(all: readonly T[], typed: string, nameOf: (one: T) => string): T[] {
  const scored = all.flatMap((one) => {
    const score = fuzzyScore(nameOf(one), typed);
    return score === null ? [] : [{ one, score }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ one }) => one);
}
