/** Subitems stand below their parents and nowhere else, and are worked from the item's panel. */
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { describe as inWords } from './Activity';
import type { Column } from './data';
import { linesOf } from './grid/lines';
import { itemsOf } from './kanban/stacks';
import { bodyOf } from './outbox/step';
import { describeStep } from './outbox/describeStep';
import { doneBy, freedSubitem, movedSubitem, progressOf, progressText, subitemCount } from './subitems';
import { Subitems } from './Subitems';
import { BoardTable, type Changed } from './table';

type Send = (path: string, body?: unknown, options?: unknown) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), patch: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'patch', 'delete'] as const).map((method) => [
      method,
      (...args: Parameters<Send>) => api[method](...args),
    ]),
  ),
}));

const at = '2026-03-01T12:00:00.000Z';
const board = { id: 'b', workspaceId: 'w', name: 'Board', revision: 1, itemCount: 3, updatedAt: at };
const groups = [
  { id: 'g1', name: 'One' },
  { id: 'g2', name: 'Two' },
];
const status: Column = {
  id: 'c1',
  title: 'Status',
  type: 'status',
  settings: {
    labels: [
      { id: 'l1', text: 'Open', color: '#4a7fd4', done: false },
      { id: 'l2', text: 'Done', color: '#4a7fd4', done: true },
    ],
  },
};

/** A and B in the first group, C in the second; A1 and A2 belong to A. */
function read(columns: Column[] = [status]): BoardTable {
  const table = tableFromArrays(
    {
      id: ['a', 'a1', 'b', 'a2', 'c'],
      groupId: ['g1', 'g1', 'g1', 'g1', 'g2'],
      name: ['A', 'A1', 'B', 'A2', 'C'],
      c1: ['l2', 'l2', null, 'l1', null],
      parentId: [null, 'a', null, 'a', null],
    },
    { types: { id: utf8(), groupId: utf8(), name: utf8(), c1: utf8(), parentId: utf8() } },
  );
  table.schema.metadata = new Map([['board', JSON.stringify({ board, groups, columns, members: [] })]]);
  return BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
}

const changed = (over: Partial<Changed>): Changed => ({
  board: { ...board, revision: 2 },
  groups,
  columns: [status],
  members: [],
  items: [],
  moved: [],
  removed: [],
  reload: false,
  ...over,
});
const item = (id: string, over: Partial<Changed['items'][number]> = {}) => ({
  id,
  groupId: 'g1',
  name: id.toUpperCase(),
  position: 1,
  createdAt: at,
  updatedAt: at,
  cells: {},
  ...over,
});
const drawn = (table: BoardTable, unfolded: string[] = []) =>
  linesOf(table, { rows: null, folded: [], unfolded: new Set(unfolded), hasTotals: false }).map((line) =>
    typeof line === 'number'
      ? String(table.cell(line, 'name'))
      : 'group' in line
        ? `${line.group.name} ${line.count}/${line.subitems}`
        : 'addTo' in line
          ? `+${line.addTo}`
          : '=',
  );

describe('a board with subitems', () => {
  it('shows them below their parents, and only there', () => {
    const table = read();
    expect(drawn(table)).toEqual(['One 2/2', 'A', 'B', 'Two 1/0', 'C']);
    expect(drawn(table, ['a', 'c'])).toEqual(['One 2/2', 'A', 'A1', 'A2', '+a', 'B', 'Two 1/0', 'C', '+c']);
    expect([...itemsOf(table)].map((row) => table.id(row))).toEqual(['a', 'b', 'c']);
    expect([table.count, subitemCount(table), table.parent(1), table.parent(0)]).toEqual([3, 2, 'a', null]);
  });

  it('shows subitems that are on their way below their items, also below one that is on its way itself', () => {
    const none = { cells: [], add: [], archive: [], remove: [] };
    const steps = [
      { ...none, add: [{ id: 'n', name: 'N', groupId: 'g2', cells: {} }] },
      {
        ...none,
        add: [
          { id: 'n1', name: 'N1', parentId: 'n', cells: {} },
          { id: 'c1', name: 'C1', parentId: 'c', cells: {} },
        ],
      },
    ];
    const table = read().with(steps);
    expect(drawn(table, ['c', 'n'])).toEqual(['One 2/2', 'A', 'B', 'Two 2/2', 'C', 'C1', '+c', 'N', 'N1', '+n']);
    expect(table.group(table.row('n1')!)).toBe('g2');
    // They go with their items.
    const without = read().with([...steps, { ...none, remove: ['n'] }, { ...none, archive: ['a'] }]);
    expect([drawn(without, ['c']), without.row('n1'), without.row('a1'), subitemCount(without)]).toEqual([
      ['One 1/0', 'B', 'Two 1/1', 'C', 'C1', '+c'],
      undefined,
      undefined,
      1,
    ]);
  });

  it('shows at once what is to be an item of its own, and what is to be a subitem', () => {
    const none = { cells: [], add: [], archive: [], remove: [] };
    const freed = read().with([{ ...none, cells: freedSubitem('a1', 'a').cells! }]);
    expect([drawn(freed, ['a']), freed.parent(1)]).toEqual([
      ['One 3/1', 'A', 'A2', '+a', 'A1', 'B', 'Two 1/0', 'C'],
      null,
    ]);
    const put = read().with([{ ...none, cells: [{ item: 'b', column: 'parentId', after: 'c' }] }]);
    expect([drawn(put, ['c']), put.group(2)]).toEqual([['One 1/2', 'A', 'Two 1/1', 'C', 'B', '+c'], 'g2']);
  });

  it('sends it with what was seen, and says what it is', () => {
    const step = {
      ...{ board: 'b', at: 1, add: [], archive: [], remove: [], names: {} },
      cells: freedSubitem('a1', 'a').cells!,
    };
    expect(bodyOf(step).items).toEqual([{ itemId: 'a1', parentId: null, cells: {}, was: { parentId: 'a' } }]);
    const called = { item: () => 'A1', column: () => '', group: () => '' };
    expect([
      describeStep(step, called),
      describeStep({ cells: [{ item: 'b', column: 'parentId', before: null, after: 'a' }] }, called),
    ]).toEqual(['converting A1 to an item', 'converting A1 to a subitem']);
  });

  it('follows what becomes a subitem, an item, comes and goes', () => {
    const table = read().patched(
      changed({
        items: [item('a1'), item('b', { parentId: 'a' }), item('n', { parentId: 'c', groupId: 'g2' })],
        removed: ['a2'],
      }),
    )!;
    expect(drawn(table, ['a', 'c'])).toEqual(['One 2/1', 'A', 'B', '+a', 'A1', 'Two 1/1', 'C', 'N', '+c']);
    expect(table.patch()!.items.map((one) => [one.row, one.parentId])).toEqual([
      [1, null],
      [2, 'a'],
      [5, 'c'],
    ]);
  });

  it('tells how many there are and how many are done', () => {
    expect(progressText(progressOf(read(), 'a')!)).toBe('1 of 2 subitems done');
    expect(progressOf(read(), 'b')).toBeNull();
    const plain = read([{ ...status, type: 'dropdown' }]);
    expect(progressText(progressOf(plain, 'a')!)).toBe('2 subitems');
    // Where no label is marked as done, the usual words count.
    const words = {
      ...status,
      settings: {
        labels: [
          { id: 'l1', text: 'Closed ', color: '#4a7fd4', done: false },
          { id: 'l2', text: 'Started', color: '#4a7fd4', done: false },
        ],
      },
    };
    expect([...doneBy([words])!.labels]).toEqual(['l1']);
  });

  it('leaves canceled subitems out of what is to be done', () => {
    const of = (...categories: ('active' | 'done' | 'canceled')[]) => {
      const labels = categories.map((category, at) => ({
        id: `l${at + 1}`,
        text: `L${at}`,
        color: '#4a7fd4',
        category,
        done: category === 'done',
      }));
      return progressText(progressOf(read([{ ...status, settings: { labels } }]), 'a')!);
    };
    expect(of('canceled', 'done')).toBe('1 of 1 subitem done, 1 canceled');
    expect(of('canceled', 'canceled')).toBe('2 subitems canceled');
    // An earlier version marked what was canceled as done.
    const old = {
      ...status,
      settings: {
        labels: [
          { id: 'l1', text: 'Duplicate', color: '#4a7fd4', done: true },
          { id: 'l2', text: 'Done', color: '#4a7fd4', done: true },
        ],
      },
    };
    expect(progressText(progressOf(read([old]), 'a')!)).toBe('1 of 1 subitem done, 1 canceled');
  });

  it('tells in the activity what became of an item', () => {
    const said = (before: object, after: object) =>
      inWords(
        {
          changeId: 'x',
          at,
          actor: { kind: 'owner', name: 'Owner' },
          by: 'Owner',
          field: 'parentId',
          before,
          after,
          undoable: true,
        },
        [],
        [],
        [],
      ).words;
    const [item, sub] = [{ groupId: 'g1' }, { groupId: 'g1', parentId: 'a' }];
    expect(said(item, sub)).toEqual({ before: 'top-level item', after: 'subitem' });
    expect(said(sub, item)).toEqual({ before: 'subitem', after: 'top-level item' });
    expect(said(sub, { ...sub, parentId: 'b' })).toEqual({ before: 'subitem of another item', after: 'subitem' });
  });

  it('moves one beside its new neighbors', () => {
    const beside = (from: number, to: number) => movedSubitem(['a', 'b', 'c'], from, to).cells?.[0]?.after;
    expect([beside(2, 1), beside(0, 2), beside(1, 0)]).toEqual([
      ['a', 'b'],
      ['c', ''],
      ['', 'a'],
    ]);
  });
});

describe('the subitems of the item at the side', () => {
  const [write, onRemove, onOpen] = [vi.fn(), vi.fn(), vi.fn()];
  const draw = (of = 'a') =>
    render(<Subitems table={read()} item={of} write={write} onRemove={onRemove} onOpen={onOpen} />);
  beforeEach(() => {
    for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
    for (const called of [write, onRemove, onOpen]) called.mockReset().mockResolvedValue(undefined);
  });

  it('are added, opened and deleted by keyboard', async () => {
    draw();
    screen.getByText('1 of 2 subitems done');
    const field = screen.getByPlaceholderText('Add a subitem');
    fireEvent.change(field, { target: { value: ' A3 ' } });
    fireEvent.submit(field);
    expect(write).toHaveBeenCalledWith({
      add: [{ id: expect.stringMatching(/^[0-9a-z]{16}$/), name: 'A3', parentId: 'a', cells: {} }],
    });
    fireEvent.click(screen.getByText('A1'));
    expect(onOpen).toHaveBeenCalledWith('a1', 'A1');
    fireEvent.keyDown(screen.getByText('A2'), { key: 'Delete' });
    expect(onRemove).toHaveBeenCalledWith('a2', 'A2');
  });

  it('are renamed by F2', async () => {
    draw();
    fireEvent.keyDown(screen.getByText('A1'), { key: 'F2' });
    const name = await screen.findByLabelText('Name');
    fireEvent.change(name, { target: { value: 'Better' } });
    fireEvent.keyDown(name, { key: 'Enter' });
    await waitFor(() =>
      expect(write).toHaveBeenCalledWith({ cells: [{ item: 'a1', column: 'name', before: 'A1', after: 'Better' }] }),
    );
  });

  it('are moved by Alt and the arrows', () => {
    draw();
    fireEvent.keyDown(screen.getByText('A2'), { key: 'ArrowUp', altKey: true });
    expect(write).toHaveBeenCalledWith({ cells: [{ item: 'a2', column: 'place', before: null, after: ['', 'a1'] }] });
    // The last one has nowhere to go.
    fireEvent.keyDown(screen.getByText('A2'), { key: 'ArrowDown', altKey: true });
    expect(write).toHaveBeenCalledOnce();
  });

  it('are given a status', async () => {
    const user = userEvent.setup();
    draw();
    screen.getByRole('button', { name: /Status of A2/ }).focus();
    await user.keyboard('{ArrowDown}');
    (await screen.findByRole('option', { name: 'Done' })).focus();
    await user.keyboard('{Enter}');
    expect(write).toHaveBeenCalledWith({ cells: [expect.objectContaining({ item: 'a2', column: 'c1', after: 'l2' })] });
  });

  it('are made items through their menu', async () => {
    const user = userEvent.setup();
    draw();
    screen.getByRole('button', { name: 'More actions for A1' }).focus();
    await user.keyboard('{Enter}');
    (await screen.findByRole('menuitem', { name: 'Convert to item' })).focus();
    await user.keyboard('{Enter}');
    expect(write).toHaveBeenCalledWith({ cells: [{ item: 'a1', column: 'parentId', before: 'a', after: null }] });
  });

  it('say so where there are none, and lead from a subitem to its parent', async () => {
    const user = userEvent.setup();
    const { unmount } = draw('b');
    screen.getByText(/No subitems yet/);
    unmount();
    draw('a1');
    await user.click(screen.getByRole('button', { name: 'A' }));
    expect(onOpen).toHaveBeenCalledWith('a', 'A');
    await user.click(screen.getByRole('button', { name: 'Convert to item' }));
    expect(write).toHaveBeenCalledWith({ cells: [{ item: 'a1', column: 'parentId', before: 'a', after: null }] });
  });
});
