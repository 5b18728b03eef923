import { describe, expect, it } from 'vitest';
import type { BoardInfo, Column } from './boards';
import { pulled } from './Grid';
import { chooseColumns, mappedTitle } from './mapping';
import { filled, measured } from './titles';
import { emptyConfig, readConfig, type JsonObject } from './model';
import { answerOf } from './testing';
import { kinds } from './widgets';
import { configured } from './widgets/kind';

describe('config', () => {
  it('keeps members that it does not know', () => {
    const stored = {
      version: 7,
      boardIds: ['b1'],
      theme: { a: [1, null] },
      filters: { v: 1, people: null, all: [], later: true },
      widgets: [
        {
          id: 'w',
          kind: 'gantt',
          title: 'T',
          layout: { x: 0, y: 0, w: 4, h: 4 },
          settings: { deep: { er: 1 } },
          note: 'n',
        },
      ],
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

const column = (id: string, title: string, type: string, settings: Column['settings'] = {}): Column => ({
  id,
  title,
  type,
  settings,
});
const board = (id: string, ...columns: Column[]): BoardInfo => ({
  id,
  workspaceId: 'w',
  name: id,
  revision: 1,
  itemCount: 1,
  columns,
});

describe('columns of roles', () => {
  const one = board('one', column('c1', 'Cost', 'number'));
  const same = board('same', column('c9', ' COST ', 'number'));
  const other = board('other', column('c3', 'Budget', 'number'), column('c4', 'Hours', 'number'));

  it('all give their names', () => {
    const titled = (...ids: string[]) =>
      mappedTitle({ value: { one: ['c1'], same: ['c9'], other: ids } }, 'value', [one, same, other]);
    expect([titled(), titled('c3'), titled('c3', 'c4')]).toEqual([
      'Cost',
      'Cost and Budget',
      'Cost and 2 other columns',
    ]);
    expect(measured('average', titled('c1'))).toMatch(/^Average /);
    // What stands in a title fills no place of it.
    expect(filled('{} and {}', 'A {}', 'B')).toBe('A {} and B');
    expect(mappedTitle({}, 'value', [one])).toBeUndefined();
    expect(mappedTitle({ value: { one: ['gone'] } }, 'value', [one])).toBeUndefined();
  });
  it('are the chosen ones, and those that the engine found', () => {
    const widget = {
      id: 'w',
      kind: 'numbers',
      title: '',
      layout: { x: 0, y: 0, w: 1, h: 1 },
      settings: { fn: 'sum', cols: { value: { one: [] }, broken: 3 } },
    };
    const answer = answerOf('numbers', undefined, { cols: { value: { one: ['c1'], same: ['c9'] } } });
    expect(configured(widget, answer)).toMatchObject({
      settings: widget.settings,
      cols: { value: { one: [], same: ['c9'] } },
    });
    expect(configured(widget, undefined)).toEqual({
      settings: widget.settings,
      roles: [],
      cols: { value: { one: [] }, broken: {} },
    });
    // What was stored in an older form is shown, and stored again, in the present one.
    expect(configured(widget, { ...answer, settings: { function: 'sum' } }).settings).toEqual({ function: 'sum' });
  });
  it('are chosen one board at a time, and the rest stays', () => {
    const settings = { function: 'sum', cols: { other: { x: ['y'] }, value: { same: ['c9'] } } };
    expect(chooseColumns(settings, 'value', 'one', ['c1'])).toEqual({
      function: 'sum',
      cols: { other: { x: ['y'] }, value: { same: ['c9'], one: ['c1'] } },
    });
    expect(chooseColumns({ cols: 'broken' }, 'value', 'one', [])).toEqual({ cols: { value: { one: [] } } });
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
    expect(kinds.map((kind) => kind.kind)).toEqual([
      'numbers',
      'chart',
      'velocity',
      'planned',
      'burndown',
      'battery',
      'table',
      'apps',
    ]);
    expect(kinds.filter((kind) => kind.isOffMenu).map((kind) => kind.kind)).toEqual(['battery', 'table', 'apps']);
    for (const kind of kinds) {
      expect(kind.size.w >= kind.min.w && kind.size.h >= kind.min.h).toBe(true);
      const of = (settings: JsonObject) => ({ settings, roles: [], cols: {} });
      expect(kind.describe(of(kind.create([])), [])).not.toBe('');
      // Whatever a script wrote into the settings, a kind falls back to something that it can draw.
      expect(() => kind.describe(of({ function: 3, x: 'no', y: null, variant: [], format: 'no' }), [])).not.toThrow();
    }
  });
});
