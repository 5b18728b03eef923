import { expect, it } from 'vitest';
import type { Point } from './points';
import { stepsOf } from './BarChart';

it('the numbers along an axis stand apart, however low the chart is', () => {
  const points = [3, 5].map((value) => ({ value })) as unknown as Point[];
  expect(stepsOf(points, 200)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(stepsOf(points, 36)).toEqual([0, 2, 4]);
  expect(stepsOf(points, 12)).toEqual([0, 5]);
  expect(stepsOf([{ value: 0.5 }] as unknown as Point[], 200)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
});
