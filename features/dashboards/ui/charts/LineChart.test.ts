import { expect, it } from 'vitest';
import { pointsAt } from './LineChart';
import { besideAxis } from './labels';
import type { Mark } from './points';

const mark = (value: number | null, more: Partial<Mark> = {}): Mark => ({
  key: '',
  label: '',
  color: null,
  value,
  text: '',
  full: '',
  ...more,
});
const marks = (count: number) => Array.from({ length: count }, (_, at) => mark(at));
const places = (list: readonly (Mark | null)[], step_px: number) => pointsAt(list, step_px).map(({ at }) => at);

it('each value has a point where there is room for it', () => {
  expect(places(marks(5), 4)).toEqual([0, 1, 2, 3, 4]);
  expect(places([mark(1), mark(null), null, mark(2)], 20)).toEqual([0, 3]);
  expect(places([mark(1)], 0)).toEqual([0]);
});

it('points that would lie upon one another are left out, never the last one, behind which items may stand', () => {
  const dense = places(marks(330), 0.7);
  expect(dense[0]).toBe(0);
  expect(dense.at(-1)).toBe(329);
  expect(dense.length).toBeLessThan(60);
  expect(dense.every((at, i) => i === 0 || (at - dense[i - 1]!) * 0.7 >= 4)).toBe(true);
  expect(places([...marks(9), mark(null), mark(null)], 1).at(-1)).toBe(8);
  expect(places([...marks(10), mark(4, { isApart: true })], 1)).toEqual([0, 4, 9, 10]);
});

it('a value that no line leads to keeps its point', () => {
  const lone = [...marks(7), mark(null), mark(3), mark(null), ...marks(7), mark(2, { isApart: true })];
  expect(
    pointsAt(lone, 1)
      .filter(({ isLone }) => isLone)
      .map(({ at }) => at),
  ).toEqual([8, 17]);
});

it('numbers along an axis take the same room whether they have a digit more or less', () => {
  expect(besideAxis(['0', '500', '900'])).toBe(besideAxis(['0', '80']));
  expect(besideAxis(['0', '1200'])).toBeGreaterThan(besideAxis(['900']));
});
