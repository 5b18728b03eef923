import { describe, expect, it } from 'vitest';
import {
  asked,
  becomesOf,
  chosenAs,
  misfitWords,
  newColumnFor,
  rowsTaken,
  unreadWords,
  updateWords,
  type FoundColumn,
  type Preview,
} from './importing';

const found = (more: Partial<FoundColumn>): FoundColumn => ({
  index: 2,
  title: 'Cost',
  role: 'column',
  sample: [],
  notes: [],
  ...more,
});

describe('columns of a file', () => {
  it('become what was found until something else is chosen', () => {
    expect(becomesOf(found({ type: 'number' }), undefined)).toBe('number');
    expect(becomesOf(found({ type: 'number', columnId: 'c7' }), undefined)).toBe('c7');
    expect(becomesOf(found({ role: 'group' }), undefined)).toBe('group');
    for (const becomes of ['skip', 'name', 'group', 'parent', 'date', 'c12'] as const) {
      expect(becomesOf(found({ type: 'number' }), chosenAs(2, becomes))).toBe(becomes);
    }
  });

  it('of amounts say which currency was understood', () => {
    const label = (more: Partial<FoundColumn>) =>
      newColumnFor(found(more)).find((option) => option.value === 'number')?.label;
    expect([
      label({ type: 'number', settings: { currency: 'USD' } }),
      label({ type: 'number', settings: { currency: 'EUR' } }),
      label({ type: 'number', settings: { currency: 'CHF' } }),
      label({ type: 'number', settings: { percent: true } }),
      label({ type: 'number', settings: {} }),
      label({ type: 'text', settings: { currency: 'USD' } }),
      label({ type: 'date' }),
    ]).toEqual(['Number, $', 'Number, €', 'Number, CHF', 'Number, %', 'Number', 'Number', 'Number']);
  });

  it('are sent only where something was chosen', () => {
    expect(asked({}, [])).toEqual({});
    expect(asked({ overwrite: true, key: 0 }, [])).toEqual({ key: '0' });
    expect(asked({ dateOrder: 'day-first' }, [])).toEqual({ dateOrder: 'day-first' });
    expect(
      asked({ boardId: 'b', overwrite: true, archived: true, tool: 'none', sheet: 'One' }, [chosenAs(1, 'skip')]),
    ).toEqual({
      boardId: 'b',
      conflicts: 'overwrite',
      archived: 'keep',
      tool: 'none',
      sheet: 'One',
      columns: '[{"index":1,"skip":true}]',
    });
  });
});

describe('an update', () => {
  it('is told in words, without what is nothing', () => {
    const nothing = {
      added: 0,
      changed: 0,
      unchanged: 0,
      missing: 0,
      missingItems: [],
      kept: 0,
      keptCells: [],
      changedCount: 0,
      changedCells: [],
      stayDeleted: 0,
    };
    expect(updateWords({ ...nothing, added: 1, unchanged: 1200 })).toEqual(['1 item new, 0 changed, 1,200 unchanged.']);
    expect(
      updateWords({ ...nothing, missing: 1, missingItems: [{ id: 'a', name: 'Print' }], kept: 2, stayDeleted: 3 }),
    ).toEqual([
      '0 items new, 0 changed, 0 unchanged.',
      'Kept 1 item from earlier imports missing from the file: Print.',
      'Kept 2 cells changed here.',
      '3 items deleted here stay deleted.',
    ]);
    const missingItems = Array.from({ length: 100 }, (_, at) => ({ id: `i${at}`, name: `Item ${at}` }));
    expect(updateWords({ ...nothing, missing: 1200, missingItems })[1]).toMatch(
      /^Kept 1,200 items .* file: Item 0, Item 1, .*, Item 9, 1,190 more\.$/,
    );
  });
});

describe('rows with a cell that does not fit', () => {
  const preview = (rowsEstimated: number, misfitRows: number) =>
    ({ rowsEstimated, misfitRows, rowsTaken: rowsEstimated - 1 }) as Preview;

  it('are counted in words, and left out or not', () => {
    expect([1, 1200].map(unreadWords)).toEqual(["Couldn't read 1 row:", "Couldn't read 1,200 rows:"]);
    expect(misfitWords(preview(10, 2))).toBe("2 of 10 rows have a cell that doesn't fit its column");
    expect(misfitWords(preview(1, 1))).toBe("1 of 1 row has a cell that doesn't fit its column");
    expect([rowsTaken(preview(10, 2), 'row'), rowsTaken(preview(10, 2), 'cell')]).toEqual([7, 9]);
  });
});
