import { waitFor } from '@testing-library/react';
import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import type { ClipboardEvent } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Column } from '../data';
import type { CellChange } from '../outbox/step';
import { BoardTable } from '../table';
import { shownColumns } from './columns';
import { clipboardOf } from './copyPaste';
import type { Sheet } from './edits';
import { linesOf } from './lines';

const request = vi.fn<(method: string, path: string) => Promise<{ body: ArrayBuffer }>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  request: (method: string, path: string) => request(method, path),
}));
const { toast } = await import('@shell/components');
beforeEach(() => void request.mockReset());

function bytes(
  id: string,
  names: Record<string, string>,
  columns: Column[] = [],
  cells: Record<string, (string | null)[]> = {},
) {
  const own = {
    id: Object.keys(names),
    groupId: Object.keys(names).map(() => 'g'),
    name: Object.values(names),
    ...cells,
  };
  const data = tableFromArrays(own, { types: Object.fromEntries(Object.keys(own).map((name) => [name, utf8()])) });
  const board = {
    id,
    workspaceId: 'w',
    name: id,
    revision: 1,
    itemCount: own.id.length,
    updatedAt: '2026-03-01T12:00:00.000Z',
  };
  data.schema.metadata = new Map([
    ['board', JSON.stringify({ board, groups: [{ id: 'g', name: 'Items' }], columns, members: [], linked: [] })],
  ]);
  return tableToIPC(data, { format: 'stream' })!.slice().buffer;
}
const tasks: Column = { id: 'l', title: 'Tasks', type: 'itemLink', settings: { boardId: 'tasks' } };
const note: Column = { id: 'n', title: 'Note', type: 'text', settings: {} };
const ships = (names: Record<string, string>, notes: string[], columns = [tasks, note]) =>
  BoardTable.read(
    bytes('ships', names, columns, {
      ...(columns.includes(tasks) && { l: Object.keys(names).map(() => null) }),
      n: notes,
    }),
  );

/** A paste of three lines, while the board becomes `now`, and what it comes to. */
async function pasteWhile(now: BoardTable) {
  let answer = (_: { body: ArrayBuffer }) => {};
  request.mockReturnValue(new Promise((resolve) => (answer = resolve)));
  const held = ships({ s1: 'Anna', s2: 'Berta' }, ['old', 'old']);
  const sheet: Sheet = {
    table: held,
    lines: linesOf(held, { rows: null, folded: [], hasTotals: false }),
    shown: shownColumns(held.meta.columns, {}),
    members: [],
  };
  let present = held;
  const looking: number[] = [];
  const refused: string[] = [];
  const written = await new Promise<readonly CellChange[]>((resolve) => {
    const { onPaste } = clipboardOf({
      sheet,
      selected: () => ({ lines: [1], columns: [1] }),
      isOff: false,
      write: (changes) => {
        resolve(changes);
        return null;
      },
      say: () => {},
      onRefused: (all) => refused.push(...all.map(({ where, why }) => `${where}: ${why}`)),
      present: () => present,
      onLooking: (by) => looking.push(by),
    });
    const clipboardData = { getData: (type: string) => (type === 'text/plain' ? 'Mend\tnew\nMend\tnew' : '') };
    onPaste({ clipboardData, preventDefault: () => {} } as unknown as ClipboardEvent);
    expect(looking).toEqual([1]);
    present = now;
    answer({ body: bytes('tasks', { t1: 'Mend' }) });
  });
  await waitFor(() => expect(looking).toEqual([1, -1]));
  return { written: written.map(({ item, column, before, after }) => [item, column, before, after]), refused };
}

/** What a paste into a board of two items adds, and what is said of it. */
function pasteAt(line: number, column: number, text: string) {
  const table = ships({ s1: 'Anna', s2: 'Berta' }, ['', ''], [note]);
  const sheet: Sheet = {
    table,
    lines: linesOf(table, { rows: null, folded: [], hasTotals: false }),
    shown: shownColumns(table.meta.columns, {}),
    members: [],
  };
  const done = vi.spyOn(toast, 'done').mockReturnValue(() => {});
  const steps: [number, string[]][] = [];
  const write = (changes: readonly CellChange[], add: readonly { name: string }[] = []) =>
    steps.push([changes.length, add.map(({ name }) => name)]);
  const { onPaste } = clipboardOf({
    sheet,
    selected: () => ({ lines: [line], columns: [column] }),
    isOff: false,
    write,
    say: () => {},
    onRefused: () => {},
    present: () => table,
    onLooking: () => {},
  });
  onPaste({
    clipboardData: { getData: (type: string) => (type === 'text/plain' ? text : '') },
    preventDefault: () => {},
  } as unknown as ClipboardEvent);
  const said = done.mock.calls.map(([title, options]) => [title, options?.detail]);
  done.mockRestore();
  return { steps, said };
}

it('a paste past the last item says what it adds, in one step with what it changes', () => {
  expect(pasteAt(2, 1, 'a\nb\nc')).toEqual({
    steps: [[1, ['New item', 'New item']]],
    said: [['Pasted 1 cell, added 2 items', 'The new items are named New item because no name was pasted.']],
  });
  expect(pasteAt(2, 0, 'Berta\tb\nCarla\tc')).toEqual({
    steps: [[2, ['Carla']]],
    said: [['Pasted 2 cells, added 1 item', undefined]],
  });
  expect(pasteAt(2, 0, 'Berta\tb\nCarla\tc\n\td').said).toEqual([
    ['Pasted 2 cells, added 2 items', '1 of them is named New item because no name was pasted.'],
  ]);
  expect(pasteAt(1, 1, 'a\nb')).toEqual({ steps: [[2, []]], said: [] });
});

it('a paste that looks items up lands above what the cells hold by then', async () => {
  expect(await pasteWhile(ships({ s0: 'First', s1: 'Anna', s2: 'Berta' }, ['', 'mine', 'old']))).toEqual({
    written: [
      ['s1', 'l', null, ['t1']],
      ['s1', 'n', 'mine', 'new'],
      ['s2', 'l', null, ['t1']],
      ['s2', 'n', 'old', 'new'],
    ],
    refused: [],
  });
});

it('and leaves out the items and columns that are gone by then', async () => {
  expect(await pasteWhile(ships({ s1: 'Anna' }, ['old'], [note]))).toEqual({
    written: [['s1', 'n', 'old', 'new']],
    refused: [
      'Tasks of Anna: The column has changed.',
      'Tasks of Berta: Item not found.',
      'Note of Berta: Item not found.',
    ],
  });
});
