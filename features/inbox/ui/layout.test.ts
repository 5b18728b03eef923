import { expect, it } from 'vitest';
import { CHUNK_ROWS, layoutOf, type Group } from './layout';

const group = (id: string, rows: number): Group => ({ id, rows, unread: 0 });

it('puts a heading before each group, and none where rows are not grouped', () => {
  const [a, b] = [group('a', 2), group('b', 1)];
  const grouped = layoutOf([a, b], true);
  expect([0, 1, 2, 3, 4, 5].map(grouped.lineAt)).toEqual([
    { kind: 'head', group: a },
    { kind: 'row', group: a, at: 0, row: 0 },
    { kind: 'row', group: a, at: 1, row: 1 },
    { kind: 'head', group: b },
    { kind: 'row', group: b, at: 0, row: 2 },
    undefined,
  ]);
  expect([0, 1, 2].map(grouped.lineOf)).toEqual([1, 2, 4]);
  expect(layoutOf([a], false).lineAt(0)).toEqual({ kind: 'row', group: a, at: 0, row: 0 });
  expect(layoutOf([], false)).toMatchObject({ lines: 0, rows: 0 });
});

it('asks for the chunks in view only, each once', () => {
  const [a, b] = [group('a', CHUNK_ROWS + 5), group('b', 100_000)];
  const { chunks, lines } = layoutOf([a, b], true);
  expect(chunks(0, 3)).toEqual([{ group: a, number: 0, row: 0 }]);
  expect(chunks(CHUNK_ROWS - 2, CHUNK_ROWS + 12)).toEqual([
    { group: a, number: 0, row: 0 },
    { group: a, number: 1, row: CHUNK_ROWS },
    { group: b, number: 0, row: CHUNK_ROWS + 5 },
  ]);
  const last = 100_000 / CHUNK_ROWS - 1;
  expect(chunks(lines - 3, lines + 10)).toEqual([{ group: b, number: last, row: 5 + (last + 1) * CHUNK_ROWS }]);
});
