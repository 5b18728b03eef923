import { expect, it } from 'vitest';
import { takenBack } from './Activity';
import type { Change } from './discussion';

const change = (changeId: string, field: string, before: Change['before'], after: Change['after']): Change => ({
  changeId,
  field,
  before,
  after,
  at: '2026-03-01T12:00:00Z',
  actor: { kind: 'owner', name: 'Owner' },
  by: 'Owner',
  undoable: true,
});

it('knows which changes undone, each part of the item for itself', () => {
  const undo = change('3', 'c1', 'b', 'a');
  const other = change('2', 'c2', 'a', 'b');
  const made = change('1', 'c1', 'a', 'b');
  expect([...takenBack([undo, other, made])]).toEqual(['1']);
  // Done again: the undo was taken back, and what it took back is there.
  expect([...takenBack([change('4', 'c1', 'a', 'b'), undo, other, made])]).toEqual(['3']);
  // Another value came between.
  expect([...takenBack([change('4', 'c1', 'c', 'a'), change('3', 'c1', 'b', 'c'), made])]).toEqual([]);
});
