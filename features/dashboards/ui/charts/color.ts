import type { Point } from './points';

/**
 * What a value is drawn in, in a chart and in its table alike: its label's colour, just as the board shows it. Labels of one
 * name in several boards are one value and take the colour of the first connected board that has it; labels of the same
 * colour stay so, since their names stand beside them.
 */
export const colorOf = ({ color }: Pick<Point, 'color'>) => color ?? 'var(--chart-plain)';
