/** What any client may store with a view does not stop the page. */
import { expect, it } from 'vitest';
import { rulesOf } from '@shell/filters/rules';
import { shownColumns } from '../grid/columns';
import type { ViewSettings } from './data';
import { hasUnreadFilter, readable } from './stored';

const rule = { id: 'r', col: { by: 'builtin', name: 'name' }, op: 'is', value: 'a' };
const stored = (settings: unknown) => settings as ViewSettings;

it('filters nothing by a filter of another shape, and knows that one is there', () => {
  const others: unknown[] = [
    { all: 5 },
    { all: [5] },
    { all: [null] },
    { all: [{ any: 5 }] },
    { all: [{ any: [{ id: 'r' }] }] },
    { all: [{ ...rule, col: { by: 'ids', ids: 5 } }] },
    { all: [], people: 5 },
    { all: [], people: { ids: 'me' } },
    [],
  ];
  for (const filter of others) {
    expect([rulesOf(readable(stored({ filter })).filter), hasUnreadFilter(stored({ filter }))]).toEqual([[], true]);
  }
  expect(hasUnreadFilter({})).toBe(false);
});

it('reads what it wrote, and what leaves out what may be left out', () => {
  const filter = { v: 1, people: { ids: ['me'], teams: [] }, all: [rule, { any: [rule] }] };
  const settings = stored({ filter, sort: [{ columnId: 'name' }], widths: { c1: 90 }, span: 'week', other: { a: 1 } });
  expect(readable(settings)).toEqual(settings);
  expect(readable(settings)).toBe(readable(settings));
  expect(readable(stored({ filter: { people: {} } })).filter).toEqual({
    v: 1,
    people: { ids: [], teams: [] },
    all: [],
  });
});

it('gives rules an id where they were stored without one, as queries take them', () => {
  const { id: _, ...plain } = rule;
  const read = readable(stored({ filter: { v: 1, people: null, all: [plain, rule, { any: [plain, plain] }] } })).filter;
  const entries = read!.all as ({ id: string } | { any: { id: string }[] })[];
  const ids = entries.flatMap((entry) => ('any' in entry ? entry.any.map(({ id }) => id) : entry.id));
  expect(ids).toEqual(['at-0', 'r', 'at-2-0', 'at-2-1']);
  expect(entries[0]).toEqual({ ...plain, id: 'at-0' });
});

it('leaves out members of another shape, and keeps the rest', () => {
  const settings = readable(
    stored({
      columnOrder: 5,
      frozen: {},
      foldedGroups: { a: 1 },
      columnTotals: [1],
      limits: 'x',
      folded: 1,
      cardFields: {},
      zoom: 'year',
      widths: { c1: 90 },
    }),
  );
  expect(settings).toEqual({ widths: { c1: 90 } });
  expect(
    shownColumns([{ id: 'c1', title: 'A', type: 'text', settings: {} }], settings).map(({ width }) => width),
  ).toEqual([280, 90]);
});
