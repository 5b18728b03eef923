import type { Mark } from './points';

/**
 * What a value is drawn in, in a chart and in its table alike: its label's colour, just as the board shows it. Labels of one
 * name in several boards are one value and take the colour of the first connected board that has it; labels of the same
 * colour stay so, since their names stand beside them.
 */
export const colorOf = ({ color }: Pick<Mark, 'color'>) => color ?? 'var(--chart-plain)';

/** Colours for what has none of its own and stands beside others, such as boards: told apart on light and on dark. */
const COLORS = ['#5b72d6', '#d98324', '#2f9e77', '#c2559b', '#7f8ba3', '#a8912b', '#4aa3c7', '#b5543f'];

/** The colour of the n-th of them. */
export const colorAt = (at: number): string => COLORS[at % COLORS.length] ?? 'var(--chart-plain)';
