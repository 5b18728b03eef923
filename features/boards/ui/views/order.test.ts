import { expect, it } from 'vitest';
import { placeAt, reordered } from './order';

it('moves a thing to a place counted without it', () => {
  expect(reordered(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(reordered(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
});

it('finds the place of a drag by the middles of the others', () => {
  const boxes = [0, 100, 200].map((left) => ({ left, right: left + 100 }));
  expect(placeAt(10, boxes, 0)).toBe(0);
  expect(placeAt(160, boxes, 0)).toBe(1);
  expect(placeAt(260, boxes, 0)).toBe(2);
  expect(placeAt(40, boxes, 2)).toBe(0);
  expect(placeAt(60, boxes, 2)).toBe(1);
});
