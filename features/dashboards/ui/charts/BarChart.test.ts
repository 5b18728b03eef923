import { expect, it } from 'vitest';
import type { Point } from '../engine';
import { colorsOf } from './BarChart';

it('labels of the same colour differ in a chart', () => {
  const points = ['#e8a33d', '#8e5bd0', '#E8A33D', undefined, '#e8a33d', undefined].map((color) => ({ color })) as unknown as Point[];
  const colors = colorsOf(points);
  expect(colors.slice(0, 2)).toEqual(['#e8a33d', '#8e5bd0']);
  expect(new Set(colors.filter((color) => color !== 'var(--chart-plain)')).size).toBe(4);
  expect(colors[3]).toBe(colors[5]);
});
