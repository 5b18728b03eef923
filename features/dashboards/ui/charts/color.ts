import { COLORS } from '@shell/gen/looks';
import type { Mark } from './points';

/**
 * What a value is drawn in, in a chart and in its table alike: its label's color, just as the board shows it. Labels of one
 * name in several boards are one value and take the color of the first connected board that has it; labels of the same
 * color stay so, since their names stand beside them.
 */
export const colorOf = ({ color }: Pick<Mark, 'color'>) => color ?? 'var(--chart-plain)';

/** The color of the n-th of several that have none of their own. */
export const colorAt = (at: number): string => COLORS[at % COLORS.length] ?? 'var(--chart-plain)';
