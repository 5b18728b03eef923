import { expect, it } from 'vitest';
import { BY_NUMBER, FIRST, inOrder, placed, rowBefore, type Places } from './places';

const rows = (count: number, places: Places) => {
  const order: number[] = [];
  inOrder(count, places, (row) => order.push(row));
  return order;
};

it('puts rows behind others, and leaves the rest where they stand', () => {
  const one = placed(BY_NUMBER, [
    [4, FIRST],
    [1, 3],
  ]);
  expect(rows(5, one)).toEqual([4, 0, 2, 3, 1]);
  // What others stand behind goes without them.
  expect(rows(6, placed(one, [[3, 4]]))).toEqual([4, 3, 0, 2, 1, 5]);
  expect(rows(6, placed(placed(one, [[3, 4]]), [[0, FIRST]]))).toEqual([0, 4, 3, 2, 1, 5]);
  expect(
    rows(
      5,
      placed(one, [
        [1, 0],
        [4, 3],
      ]),
    ),
  ).toEqual([0, 1, 2, 3, 4]);
});

it('gives the order that moving each would give, however often', () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 50; round++) {
    let order = Array.from({ length: 12 }, (_, row) => row);
    let places = BY_NUMBER;
    for (let step = 0; step < 12; step++) {
      const leaving = new Set(Array.from({ length: 1 + random(4) }, () => random(12)));
      order = order.filter((row) => !leaving.has(row));
      for (const row of leaving) order.splice(random(order.length + 1), 0, row);
      const moves = order.flatMap((row, at) =>
        leaving.has(row) ? [[row, at === 0 ? FIRST : order[at - 1]!] as const] : [],
      );
      places = placed(places, moves);
      expect(rows(12, places)).toEqual(order);
      expect(order.map((row) => rowBefore(places, row))).toEqual([FIRST, ...order.slice(0, -1)]);
    }
  }
});
