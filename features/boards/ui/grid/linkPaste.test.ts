import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import type { Column } from '../data';
import { BoardTable } from '../table';
import { shownColumns } from './columns';
import { pasted, type Sheet } from './edits';
import { idsOf, lookUp, parseLinks, readIds, type Linkable } from './linkPaste';
import { linesOf } from './lines';

const request = vi.fn<(method: string, path: string) => Promise<{ body: ArrayBuffer }>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  request: (method: string, path: string) => request(method, path),
}));
beforeEach(() => void request.mockReset());

/** Items as id, group, name and parent. */
type Item = [id: string, groupId: string, name: string, parentId?: string];
function bytes(
  id: string,
  items: Item[],
  columns: Column[] = [],
  cells: Record<string, (string | null)[]> = {},
  linked: unknown[] = [],
) {
  const own = {
    id: items.map(([one]) => one),
    groupId: items.map(([, group]) => group),
    name: items.map(([, , name]) => name),
    parentId: items.map(([, , , parent]) => parent ?? null),
    ...cells,
  };
  const data = tableFromArrays(own, { types: Object.fromEntries(Object.keys(own).map((name) => [name, utf8()])) });
  const board = {
    id,
    workspaceId: 'w',
    name: id,
    revision: 1,
    itemCount: items.length,
    updatedAt: '2026-03-01T12:00:00.000Z',
  };
  const groups = [...new Set(items.map(([, group]) => group))].map((group) => ({ id: group, name: group }));
  data.schema.metadata = new Map([['board', JSON.stringify({ board, groups, columns, members: [], linked })]]);
  return tableToIPC(data, { format: 'stream' })!.slice().buffer;
}
const link = (id: string, settings: Column['settings'] = {}): Column => ({
  id,
  title: 'Tasks',
  type: 'itemLink',
  settings: { boardId: 'tasks', ...settings },
});
const TASKS: Item[] = [
  ['t1', 'g1', 'Mend the sails'],
  ['t2', 'g1', 'Paint, then dry'],
  ['t3', 'g2', 'Ring the bell'],
  ['t4', 'g2', 'Ring the bell'],
  ['t5', 'g1', 'Thread', 't1'],
];
function sheet(columns: Column[]): Sheet {
  const cells = { l: [JSON.stringify(['t1', 't5']), null] };
  const table = BoardTable.read(
    bytes(
      'ships',
      [
        ['s1', 'g', 'Anna'],
        ['s2', 'g', 'Berta'],
      ],
      columns,
      cells,
      [
        {
          boardId: 'tasks',
          columns: [],
          items: [
            { id: 't1', name: 'Mend the sails' },
            { id: 't5', name: 'Thread' },
          ],
        },
      ],
    ),
  );
  return {
    table,
    lines: linesOf(table, { rows: null, folded: [], hasTotals: false }),
    shown: shownColumns(table.meta.columns, {}),
    members: [],
  };
}
const answered = () => request.mockImplementation(() => Promise.resolve({ body: bytes('tasks', TASKS) }));
/** What pasting texts into the links of both items comes to. */
async function paste(column: Column, texts: string[][], ids: (string[] | null)[][] = []) {
  const held = sheet([column]);
  const chosen = { lines: [1], columns: [1] };
  const from = await lookUp(held, chosen, texts);
  const { changes, refused } = pasted(held, chosen, texts, { from: from!, ids });
  return { changes: changes.map(({ item, after }) => [item, after]), refused: refused.map(({ why }) => why) };
}

describe('a paste into links', () => {
  it('finds items that nothing links to yet, by their names or their ids', async () => {
    answered();
    expect(await paste(link('l'), [['paint, then dry, Mend the sails'], ['t3, t5']])).toEqual({
      changes: [
        ['s1', ['t2', 't1']],
        ['s2', ['t3', 't5']],
      ],
      refused: [],
    });
    expect(request.mock.calls).toEqual([['GET', '/boards/tasks/full']]);
  });

  it('names what is not found, and what several are called', async () => {
    answered();
    expect(await paste(link('l'), [['Mend the sails, Hoist'], ['Ring the bell']])).toEqual({
      changes: [],
      refused: ['Tasks has no item “Hoist”.', '2 items are named “Ring the bell”. Choose one in the cell.'],
    });
    // Subitems are found by their ids alone.
    expect((await paste(link('l'), [['Thread']])).refused).toEqual(['Tasks has no item “Thread”.']);
  });

  it('stays within the group that the column names, and takes one item where it holds one', async () => {
    answered();
    expect((await paste(link('l', { groupId: 'g1' }), [['Mend the sails'], ['t3']])).refused).toEqual([
      'Tasks has no item “t3”.',
    ]);
    expect((await paste(link('l', { many: false }), [['t1'], ['t1, t3']])).refused).toEqual([
      'Tasks accepts one item.',
    ]);
  });

  it('takes the ids that a copy put beside the texts, if they are of that board', async () => {
    answered();
    expect(await paste(link('l'), [['Ring the bell'], ['Mend the sails']], [[['t4']], [['elsewhere']]])).toEqual({
      changes: [
        ['s1', ['t4']],
        ['s2', ['t1']],
      ],
      refused: [],
    });
  });

  it('does with what is linked already where the board cannot be asked', async () => {
    request.mockRejectedValue(new ApiError(0, {}));
    expect(await paste(link('l'), [['mend the sails'], ['Hoist']])).toEqual({
      changes: [['s1', ['t1']]],
      refused: ["Couldn't look up “Hoist” for Tasks."],
    });
  });

  it('asks nothing for other columns, and not for the board itself', async () => {
    const text: Column = { id: 'l', title: 'Text', type: 'text', settings: {} };
    expect(lookUp(sheet([text]), { lines: [1], columns: [1] }, [['x']])).toBeNull();
    expect(await paste(link('l', { boardId: 'ships' }), [['Berta']])).toEqual({
      changes: [['s1', ['s2']]],
      refused: [],
    });
    expect(request).not.toHaveBeenCalled();
  });
});

describe('what a copy holds', () => {
  it('is the ids of links beside the texts', () => {
    const held = sheet([link('l')]);
    const text = idsOf(held, { lines: [1, 2], columns: [0, 1] });
    expect(readIds(text!)).toEqual([
      [null, ['t1', 't5']],
      [null, null],
    ]);
    expect(idsOf(held, { lines: [1], columns: [0] })).toBeNull();
  });

  it('is nothing where something else stands on the clipboard', () => {
    for (const text of ['', 'null', '{"a":1}', '[1]', '[[1]]', '[[["a"], [2]]]']) expect(readIds(text)).toEqual([]);
  });
});

it('a name with commas is one item where there is one', () => {
  const from: Linkable = {
    ids: new Set(['a', 'b']),
    named: new Map([
      ['x', ['a']],
      ['x, y', ['b']],
    ]),
    commas: 1,
  };
  expect(parseLinks('x, x, y', link('l'), from)).toEqual({ value: ['a', 'b'] });
  expect(parseLinks('x,\n, x\n y,', link('l'), from)).toEqual({ value: ['a', 'b'] });
});

describe('a long text', () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `Task ${at}`);
  /** The lookups that reading a text takes. */
  function reading(text: string) {
    const held = new Map(names.map((name) => [name.toLowerCase(), [name]]));
    const get = vi.spyOn(held, 'get');
    const outcome = parseLinks(text, link('l'), { ids: new Set(names), named: held, commas: 1 });
    return { outcome, lookups: get.mock.calls.length };
  }

  it('names as many items as a cell holds', () => {
    expect(reading(names.slice(0, 100).join(', ')).outcome).toEqual({ value: names.slice(0, 100) });
    const { outcome, lookups } = reading(names.join(', '));
    expect(outcome).toEqual({ refused: 'Tasks accepts up to 100 items.' });
    expect(lookups).toBeLessThan(300);
    expect(parseLinks('', link('l'), { ids: new Set(names), named: new Map(), commas: 0 }, names)).toEqual({
      refused: 'Tasks accepts up to 100 items.',
    });
  });

  it('is looked up no further than a name with commas can reach', () => {
    const { outcome, lookups } = reading(`${'Task 1, '.repeat(2_000)}Task 2`);
    expect(outcome).toEqual({ value: ['Task 1', 'Task 2'] });
    expect(lookups).toBeLessThan(5_000);
  });
});
