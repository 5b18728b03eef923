import { describe, expect, it } from 'vitest';
import type { BoardInfo, Column } from './boards';
import { pulled } from './Grid';
import { chooseColumn, mappedTitle, matched, withMapping, type Role } from './mapping';
import { emptyConfig, readConfig } from './model';
import { kinds } from './widgets';

describe('config', () => {
  it('keeps members that it does not know', () => {
    const stored = {
      version: 7,
      boardIds: ['b1'],
      theme: { a: [1, null] },
      filters: { v: 1, people: null, all: [], later: true },
      widgets: [{ id: 'w', kind: 'gantt', title: 'T', layout: { x: 0, y: 0, w: 4, h: 4 }, settings: { deep: { er: 1 } }, note: 'n' }],
    };
    expect(readConfig(stored)).toEqual({ ...stored, version: 1 });
  });

  it('repairs what cannot be drawn, always the same way', () => {
    const stored = {
      boardIds: ['b1', 'b1', 7],
      widgets: [
        null,
        { id: 'a', kind: 'numbers', layout: { x: 9, y: 0, w: 6, h: 2 } },
        { id: 'a', kind: 'chart', layout: { x: 8, y: 1, w: 4, h: 400 }, settings: [] },
        { layout: { x: 0.5 } },
        { id: 'far', layout: { x: 0, y: 1e12, w: 1, h: 1 } },
      ],
    };
    const config = readConfig(stored);
    expect(config.boardIds).toEqual(['b1']);
    expect(config.widgets.map(({ id, layout, settings }) => ({ id, ...layout, settings }))).toEqual([
      { id: 'a', x: 6, y: 0, w: 6, h: 2, settings: {} },
      { id: 'a-3', x: 8, y: 2, w: 4, h: 40, settings: {} },
      { id: 'widget-4', x: 0, y: 0, w: 4, h: 4, settings: {} },
      { id: 'far', x: 0, y: 9_999, w: 1, h: 1, settings: {} },
    ]);
    expect(readConfig(config)).toEqual(config);
    for (const nothing of [null, undefined, 'text', [], 3]) expect(readConfig(nothing)).toEqual(emptyConfig());
  });
});

const column = (id: string, title: string, type: string, settings: Column['settings'] = {}): Column => ({ id, title, type, settings });
const board = (id: string, ...columns: Column[]): BoardInfo => ({ id, workspaceId: 'w', name: id, revision: 1, itemCount: 1, columns });

describe('matching columns', () => {
  const role: Role = { name: 'value', label: 'Number column', types: ['number', 'rating'] };
  const one = board('one', column('c1', 'Cost', 'number'), column('c2', 'Effort', 'number'));
  const same = board('same', column('c8', 'Effort', 'number'), column('c9', ' COST ', 'number'));
  const only = board('only', column('c3', 'Budget', 'number'));
  const two = board('two', column('c4', 'A', 'number'), column('c5', 'B', 'number'));
  const none = board('none', column('c6', 'Cost', 'text'), column('c7', 'Stars', 'rating'));

  it('goes by type and title, else by the only column of the type, else leaves the board out', () => {
    expect(matched(role, [one, same, only, two, none], {})).toEqual({ one: ['c1'], same: ['c9'], only: ['c3'] });
  });
  it('follows the choice, and leaves a choice alone', () => {
    expect(matched(role, [one, same, only], { one: ['c2'] })).toEqual({ one: ['c2'], same: ['c8'], only: ['c3'] });
    expect(matched(role, [one, same], { one: ['c1'], same: [] })).toEqual({ one: ['c1'], same: [] });
  });
  it('finds nothing where no board has such a column', () => {
    expect(matched(role, [board('text', column('c1', 'Cost', 'text'))], {})).toEqual({});
    expect(matched(role, [none], {})).toEqual({ none: ['c7'] });
  });
  it('is named by every column that is in it', () => {
    const titled = (...boards: BoardInfo[]) => mappedTitle(withMapping([role], {}, boards), 'value', boards);
    expect([titled(none), titled(one, same), titled(one, only), titled(one, only, board('more', column('c9', 'Hours', 'number')))]).toEqual([
      'Stars',
      'Cost',
      'Cost and Budget',
      'Cost and 2 other columns',
    ]);
    expect(titled(two)).toBe('A');
    expect(mappedTitle({}, 'value', [one])).toBeUndefined();
  });
  it('writes into settings and keeps the rest of them', () => {
    const settings = { fn: 'sum', cols: { other: { x: ['y'] } } };
    expect(withMapping([role], settings, [one])).toEqual({ fn: 'sum', cols: { other: { x: ['y'] }, value: { one: ['c1'] } } });
    expect(chooseColumn({ cols: 'broken' }, 'value', 'one', null)).toEqual({ cols: { value: { one: [] } } });
  });
});

describe('pulling edges', () => {
  const box = { x: 4, y: 2, w: 4, h: 4 };
  const min = { w: 2, h: 2 };
  it('moves the edge that is pulled and no other', () => {
    expect(pulled(box, 'e', 20, 9, min)).toEqual({ x: 4, y: 2, w: 8, h: 4 });
    expect(pulled(box, 'w', -9, 0, min)).toEqual({ x: 0, y: 2, w: 8, h: 4 });
    expect(pulled(box, 'w', 9, 0, min)).toEqual({ x: 6, y: 2, w: 2, h: 4 });
    expect(pulled(box, 'n', 0, 9, min)).toEqual({ x: 4, y: 4, w: 4, h: 2 });
    expect(pulled(box, 's', 5, 1, min)).toEqual({ x: 4, y: 2, w: 4, h: 5 });
    expect(pulled(box, 'se', -9, -9, min)).toEqual({ x: 4, y: 2, w: 2, h: 2 });
    expect(pulled(box, null, 99, -99, min)).toEqual({ x: 8, y: 0, w: 4, h: 4 });
  });
});

describe('kinds', () => {
  it('each has its own name, and a size not below its smallest', () => {
    expect(kinds.map((kind) => kind.kind)).toEqual(['numbers', 'chart']);
    for (const kind of kinds) {
      expect(kind.size.w >= kind.min.w && kind.size.h >= kind.min.h).toBe(true);
      expect(kind.describe(kind.create([]), [])).not.toBe('');
      // Whatever a script wrote into the settings, a kind falls back to something that it can draw.
      expect(() => kind.roles({ fn: 3, x: 'no', y: null, variant: [] })).not.toThrow();
    }
  });
});
