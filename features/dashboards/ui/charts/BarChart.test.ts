import { expect, it } from 'vitest';
import type { Point } from './points';
import { stepsOf } from './BarChart';
import { shortIn } from '../written';

const tick = shortIn('en', { maximumSignificantDigits: 12 });

it('the numbers along an axis stand apart, however low the chart is', () => {
  const points = [3, 5].map((value) => ({ value })) as unknown as Point[];
  expect(stepsOf(points, 200)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(stepsOf(points, 36)).toEqual([0, 2, 4]);
  expect(stepsOf(points, 12)).toEqual([0, 5]);
  expect(stepsOf([{ value: 0.5 }] as unknown as Point[], 200)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
});

it('the numbers along an axis have the digits of their steps', () => {
  const written = (value: number) => stepsOf([{ value }] as unknown as Point[], 200).map(tick);
  expect(written(0.18)).toEqual(['0', '0.05', '0.1', '0.15', '0.2']);
  expect(written(0.05)).toEqual(['0', '0.01', '0.02', '0.03', '0.04', '0.05']);
  expect(written(1000)).toEqual(['0', '200', '400', '600', '800', '1K']);
  expect([0.1 + 0.2, 1250, 0].map(tick)).toEqual(['0.3', '1.25K', '0']);
});
