import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { tableFromArrays, tableToIPC, utf8, dictionary, int32, int64, float64, bool } from '@uwdata/flechette';
import { beforeEach, expect, it, vi } from 'vitest';
import { SidePanel } from '@shell/components';
import type { Column } from './data';
import { ItemFields, ItemGone, ItemTitle } from './ItemFields';
import { BoardTable, type Changed } from './table';

const problem = vi.fn();
vi.mock('@shell/components', async (original) => ({
  ...(await original<object>()),
  toast: { problem: (...args: unknown[]) => problem(...args) as unknown, done: vi.fn() },
}));

const at = '2026-03-01T12:00:00.000Z';
const board = (revision: number) => ({
  id: 'b',
  workspaceId: 'w',
  name: 'Board',
  revision,
  itemCount: 1,
  updatedAt: at,
});
const groups = [
  { id: 'g1', name: 'To do' },
  { id: 'g2', name: 'Later' },
];
const columns: Column[] = [
  { id: 'c1', title: 'Points', type: 'number', settings: {} },
  {
    id: 'c2',
    title: 'Status',
    type: 'status',
    settings: {
      labels: [
        { id: 'l1', text: 'Open', color: '#4a7fd4', done: false },
        { id: 'l2', text: 'Done', color: '#4a7fd4', done: false },
      ],
    },
  },
  { id: 'c3', title: 'Paid', type: 'checkbox', settings: {} },
  { id: 'c4', title: 'Twice', type: 'formula', settings: { result: 'number', formula: '{c1} * 2' } },
  { id: 'c5', title: 'Made', type: 'createdAt', settings: {} },
  { id: 'c6', title: 'Papers', type: 'file', settings: {} },
];

function read(): BoardTable {
  const table = tableFromArrays(
    {
      id: ['i1'],
      groupId: ['g1'],
      name: ['Mend the sails'],
      createdAt: [0],
      updatedAt: [0],
      c1: [3],
      c2: ['l1'],
      c3: [false],
      c4: [6],
      c5: [at],
    },
    {
      types: {
        id: utf8(),
        groupId: dictionary(utf8(), int32()),
        name: utf8(),
        createdAt: int64(),
        updatedAt: int64(),
        c1: float64(),
        c2: utf8(),
        c3: bool(),
        c4: float64(),
        c5: utf8(),
      },
    },
  );
  table.schema.metadata = new Map([['board', JSON.stringify({ board: board(4), groups, columns, members: [] })]]);
  return BoardTable.read(tableToIPC(table, { format: 'stream' })!.slice().buffer);
}

const edit = vi.fn((..._args: unknown[]) => Promise.resolve());
const outbox = { write: vi.fn(() => null), takeBack: vi.fn() };
const onOpenFormula = vi.fn();
const onOpenFiles = vi.fn();
const onClose = vi.fn();
const onShowTrash = vi.fn();
const panel = (table: BoardTable) => {
  const row = table.row('i1');
  const name = row === undefined ? 'Mend the sails' : String(table.cell(row, 'name'));
  return (
    <SidePanel
      title={name}
      heading={row === undefined ? name : <ItemTitle item="i1" name={name} edit={edit} />}
      onClose={onClose}
    >
      {row === undefined ? (
        <ItemGone onShowTrash={onShowTrash} />
      ) : (
        <ItemFields
          table={table}
          item="i1"
          members={[]}
          edit={edit}
          outbox={outbox}
          onOpenFormula={onOpenFormula}
          onOpenFiles={onOpenFiles}
        />
      )}
    </SidePanel>
  );
};
const changed = (over: Partial<Changed>): Changed => ({
  board: board(5),
  groups,
  columns,
  members: [],
  items: [],
  moved: [],
  removed: [],
  reload: false,
  ...over,
});
const changedItem = {
  id: 'i1',
  groupId: 'g1',
  name: 'Mend all sails',
  position: 1,
  createdAt: at,
  updatedAt: at,
  cells: { c1: 8, c2: 'l2', c3: true, c4: 16, c5: at },
};
const field = (name: string) => screen.getByRole('button', { name });

beforeEach(() => {
  for (const mock of [edit, outbox.write, onOpenFormula, onOpenFiles, onClose, onShowTrash, problem]) mock.mockClear();
});

it('shows every column and the group, and edits by keyboard with what was seen', async () => {
  render(panel(read()));
  const user = userEvent.setup();
  // The name has the focus, and Tab goes on through what can be edited.
  expect(document.activeElement).toBe(field('Mend the sails'));
  expect([...document.querySelectorAll('dt')].map((one) => one.textContent)).toEqual([
    'Group',
    'Points',
    'Status',
    'Paid',
    'Twice',
    'Made',
    'Papers',
  ]);
  field('Points: 3').focus();
  await user.keyboard('5{Enter}');
  expect(edit.mock.calls).toEqual([['i1', 'c1', 5, 3]]);
  expect(document.activeElement).toBe(field('Points: 3'));
  await user.keyboard('{F2}{Backspace}9{Tab}');
  expect(edit.mock.calls.at(-1)).toEqual(['i1', 'c1', 9, 3]);
  expect(document.activeElement).toBe(field('Status: Open'));
  await user.keyboard('{Enter}');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Status of Mend the sails' }), 'Done');
  await user.keyboard('{Enter}');
  expect(edit.mock.calls.at(-1)).toEqual(['i1', 'c2', 'l2', 'l1']);
  await user.keyboard('{Delete}');
  expect(edit.mock.calls.at(-1)).toEqual(['i1', 'c2', null, 'l1']);
  screen.getByRole('checkbox', { name: 'Paid' }).focus();
  await user.keyboard(' ');
  expect(edit.mock.calls.at(-1)).toEqual(['i1', 'c3', true, false]);
});

it('takes back with Escape, saves what is left, and sends nothing that did not change', async () => {
  render(panel(read()));
  const user = userEvent.setup();
  field('Points: 3').focus();
  await user.keyboard('7{Escape}');
  expect(document.activeElement).toBe(field('Points: 3'));
  expect(onClose).not.toHaveBeenCalled();
  await user.keyboard('{Enter}{Enter}');
  expect(edit).not.toHaveBeenCalled();
  await user.keyboard('4');
  await user.click(screen.getByRole('button', { name: 'Close panel' }));
  expect(edit.mock.calls).toEqual([['i1', 'c1', 4, 3]]);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Close panel' }));
});

it('says what is not edited here, and opens a formula and files', async () => {
  render(panel(read()));
  const user = userEvent.setup();
  expect(screen.getByText('Read-only')).toBeTruthy();
  await user.click(field('Show the formula of Twice'));
  expect(onOpenFormula).toHaveBeenCalledWith(columns[3], 'i1');
  await user.click(field('Show files: Papers'));
  expect(onOpenFiles).toHaveBeenCalledWith(columns[5], 'i1');
});

it('renames the item in the title, which never becomes empty', async () => {
  render(panel(read()));
  const user = userEvent.setup();
  await user.keyboard('{F2}!{Enter}');
  expect(edit.mock.calls).toEqual([['i1', 'name', 'Mend the sails!', 'Mend the sails']]);
  await user.keyboard('{Delete}');
  expect(edit).toHaveBeenCalledOnce();
  expect(problem.mock.calls[0]![0]).toBe('Item name is required');
});

it('moves the item to another group', async () => {
  render(panel(read()));
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: /Group of Mend the sails/ }));
  await user.click(within(screen.getByRole('listbox')).getByRole('option', { name: 'Later' }));
  expect(outbox.write).toHaveBeenCalledWith({ cells: [{ item: 'i1', column: 'groupId', before: 'g1', after: 'g2' }] });
});

it('follows what others change, and says when the item is gone with what was typed', async () => {
  const table = read();
  const { rerender } = render(panel(table));
  const user = userEvent.setup();
  rerender(panel(table.patched(changed({ items: [changedItem] }))!));
  expect(field('Mend all sails')).toBeTruthy();
  field('Points: 8').focus();
  await user.keyboard('1');
  act(() => rerender(panel(table.patched(changed({ removed: ['i1'] }))!)));
  expect(screen.getByRole('alert').textContent).toContain('Item not found');
  expect(problem.mock.calls[0]![0]).toBe("Couldn't save cell");
  expect(document.activeElement).toBe(field('View Trash'));
  await user.keyboard('{Enter}');
  expect(onShowTrash).toHaveBeenCalled();
});
