/** Ctrl+Z says what it took back. */
import { expect, it } from 'vitest';
import type { CellChange } from './step';
import { describeStep } from './describeStep';

const called = {
  item: (id: string) => id.toUpperCase(),
  column: (id: string) => `Column ${id}`,
  group: (id: string) => id,
};
const cell = (item: string, column: string): CellChange => ({ item, column, before: null, after: 'x' });
const added = { id: 'n', name: 'New', cells: {} };

it.each([
  [{ cells: [cell('a', 'c')] }, 'Column c of A'],
  [{ cells: [cell('a', 'c'), cell('b', 'c')] }, 'Column c of 2 items'],
  [{ cells: [cell('a', 'c'), cell('a', 'd')] }, '2 cells of A'],
  [{ cells: [cell('a', 'c'), cell('a', 'place')] }, 'Column c of A'],
  [{ cells: [cell('a', 'place')] }, 'Column place of A'],
  [{ cells: [cell('a', 'c'), cell('b', 'd')] }, '2 cells of 2 items'],
  [{ add: [added] }, 'adding New'],
  [{ archive: ['a', 'b'] }, 'archiving 2 items'],
  [{ remove: ['a'] }, 'deleting A'],
  [{ cells: [cell('a', 'c')], add: [added] }, 'changes to 2 items'],
])('a step in words: %j', (parts, words) => expect(describeStep(parts, called)).toBe(words));
