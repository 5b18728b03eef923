import { describe, expect, it } from 'vitest';
import type { Column } from '../data';
import { shownColumns } from './columns';
import type { GridLine } from './lines';
import { scrolledTo, tabbed } from './steps';

const column = (id: string, type: Column['type'] = 'text'): Column => ({ id, title: id, type, settings: {} });
const columns = [column('c1'), column('c2'), column('c3', 'updatedAt')];
const shown = shownColumns(columns, { widths: { name: 200, c1: 100, c2: 100, c3: 100 } });

describe('scrolling to a column', () => {
  // 40 of the rows' heads and 200 of the names stay; 160 are left.
  it('shows it beside the frozen ones, in both directions', () => {
    expect(scrolledTo(shown, 1, 140, 400)).toBe(0);
    expect(scrolledTo(shown, 2, 140, 400)).toBe(100);
    expect(scrolledTo(shown, 2, 0, 400)).toBe(40);
    expect(scrolledTo(shown, 3, 0, 400)).toBe(140);
  });

  it('leaves what is seen already, and what is frozen', () => {
    expect(scrolledTo(shown, 2, 60, 400)).toBe(60);
    expect(scrolledTo(shown, 0, 140, 400)).toBe(140);
  });

  it('shows where it begins if it has no room', () => {
    expect(scrolledTo(shown, 2, 0, 300)).toBe(100);
  });
});

describe('Tab', () => {
  const lines = [
    { group: { id: 'g' } },
    0,
    { totalsOf: { id: 'g' } },
    { group: { id: 'h' } },
    1,
  ] as unknown as GridLine[];
  it('goes on to the next item that there is, and back', () => {
    expect(tabbed(lines, shown, { line: 1, column: 1 }, 1)).toEqual({ line: 1, column: 2 });
    expect(tabbed(lines, shown, { line: 1, column: 3 }, 1)).toEqual({ line: 4, column: 0 });
    // The last column takes no value.
    expect(tabbed(lines, shown, { line: 4, column: 0 }, -1)).toEqual({ line: 1, column: 2 });
  });

  it('stays in the very last and the very first cell', () => {
    expect(tabbed(lines, shown, { line: 4, column: 3 }, 1)).toEqual({ line: 4, column: 3 });
    expect(tabbed(lines, shown, { line: 1, column: 0 }, -1)).toEqual({ line: 1, column: 0 });
  });
});
