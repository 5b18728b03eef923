/** The words for widgets that were given no title, filled. */
import { MEASURES } from '@shell/gen/titles';

/** A template with its places filled; what fills them may have braces itself. */
export const filled = (template: string, ...parts: string[]): string =>
  template
    .split('{}')
    .map((text, at) => (at ? (parts[at - 1] ?? '') : '') + text)
    .join('');

export type Measure = keyof typeof MEASURES;

/** `Sum of Cost`; of no column where none is known. */
export const measured = (measure: Measure, column: string | undefined): string => {
  const { alone, of } = MEASURES[measure];
  return column === undefined ? alone : filled(of, column);
};
