import { tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import { heldIn, look, lookAtViews, offerBoard, offerStep, offerUndo, offerView } from './offers';
import type { Came, Made } from './outbox/history';
import type { Parts } from './outbox/step';
import { BoardTable } from './table';
import type { View } from './views/data';

const live = vi.hoisted(() => ({ handlers: [] as ((data: { boardId: string }) => void)[] }));
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  onEvent: (_: string, handler: (data: { boardId: string }) => void) => {
    live.handlers.push(handler);
    return () => undefined;
  },
}));

/** A board at a revision: what its items are called, and which groups it has. */
function at(revision: number, names: Record<string, string>, groups = ['g1']): BoardTable {
  const id = Object.keys(names);
  const data = tableFromArrays(
    { id, groupId: id.map(() => 'g1'), name: Object.values(names) },
    { types: { id: utf8(), groupId: utf8(), name: utf8() } },
  );
  const board = {
    id: 'b',
    workspaceId: 'w',
    name: 'Board',
    revision,
    itemCount: id.length,
    updatedAt: '2026-03-01T12:00:00.000Z',
  };
  data.schema.metadata = new Map([
    [
      'board',
      JSON.stringify({ board, groups: groups.map((one) => ({ id: one, name: one })), columns: [], members: [] }),
    ],
  ]);
  return BoardTable.read(tableToIPC(data, { format: 'stream' })!.slice().buffer);
}
const show = (table: BoardTable) => act(() => look(table));
const made = (parts: Parts, revision: Came): Made => ({
  board: 'b',
  parts,
  at: 1,
  revision: Promise.resolve(revision),
  told: 'a step',
});
const offered = (title: string) => screen.queryByText(title) !== null;
const renamed = (to: string): Parts => ({ cells: [{ item: 'i1', column: 'name', before: 'A', after: to }] });
const step = (title: string, parts: Parts, revision: Came) =>
  act(async () => {
    offerStep(title, made(parts, revision), () => undefined);
    await Promise.resolve();
  });

afterEach(() => {
  look(null);
  lookAtViews(null);
});

it('stays while what was done stands, and goes when it was taken back elsewhere', async () => {
  render(<ToastRegion />);
  show(at(1, { i1: 'A', i2: 'B' }));
  await step('Renamed', renamed('Z'), 2);
  show(at(1, { i1: 'A', i2: 'B' }));
  expect(offered('Renamed')).toBe(true);
  show(at(2, { i1: 'Z', i2: 'B' }));
  show(at(3, { i1: 'Z', i2: 'Another' }));
  expect(offered('Renamed')).toBe(true);
  show(at(4, { i1: 'A', i2: 'Another' }));
  expect(offered('Renamed')).toBe(false);
});

it('goes when something later is in the way', async () => {
  render(<ToastRegion />);
  show(at(2, { i1: 'Y' }));
  await step('Renamed again', renamed('Y'), 2);
  show(at(3, { i1: 'Someone’s' }));
  expect(offered('Renamed again')).toBe(false);
});

it('goes when what was deleted is back, or what was added is gone', async () => {
  render(<ToastRegion />);
  show(at(2, { i2: 'B', i3: 'C' }));
  await step('Deleted A', { remove: ['i1'] }, 2);
  await step('Added C', { add: [{ id: 'i3', name: 'C', cells: {} }] }, 2);
  show(at(3, { i1: 'A', i2: 'B', i3: 'C' }));
  expect([offered('Deleted A'), offered('Added C')]).toEqual([false, true]);
  show(at(4, { i1: 'A', i2: 'B' }));
  expect(offered('Added C')).toBe(false);
});

it('waits until a change without a revision is seen', () => {
  render(<ToastRegion />);
  show(at(1, { i1: 'A' }, ['g1', 'g2']));
  act(() =>
    offerUndo(
      'Deleted g2',
      { board: 'b', left: ({ meta }) => meta.groups.some(({ id }) => id === 'g2'), stands: false },
      () => undefined,
    ),
  );
  show(at(1, { i1: 'A' }, ['g1', 'g2']));
  expect(offered('Deleted g2')).toBe(true);
  show(at(2, { i1: 'A' }));
  expect(offered('Deleted g2')).toBe(true);
  show(at(3, { i1: 'A' }, ['g1', 'g2']));
  expect(offered('Deleted g2')).toBe(false);
});

it('goes when a view that was renamed has another name, or one that was deleted is back', () => {
  const views = (names: Record<string, string>) =>
    act(() =>
      lookAtViews({
        board: 'b',
        views: Object.entries(names).map(([id, name]): View => ({
          id,
          name,
          kind: 'table',
          settings: {},
          revision: 1,
        })),
        open: '',
      }),
    );
  render(<ToastRegion />);
  views({ v1: 'One', v2: 'Two' });
  act(() => offerView('Renamed', 'b', 'v1', { name: 'First' }, () => undefined));
  act(() => offerView('Deleted Two', 'b', 'v2', 'deleted', () => undefined));
  views({ v1: 'First', v2: 'Two' });
  views({ v1: 'First' });
  act(() => lookAtViews({ board: 'another', views: [], open: '' }));
  expect([offered('Renamed'), offered('Deleted Two')]).toEqual([true, true]);
  views({ v1: 'Other' });
  expect([offered('Renamed'), offered('Deleted Two')]).toEqual([false, true]);
  views({ v1: 'Other', v2: 'Two' });
  expect(offered('Deleted Two')).toBe(false);
});

it('says nothing of a step that was refused, or that changed nothing', async () => {
  render(<ToastRegion />);
  await step('Refused', renamed('Z'), null);
  await step('Unchanged', renamed('Z'), 'unchanged');
  expect([offered('Refused'), offered('Unchanged')]).toEqual([false, false]);
});

it('goes when the board that was put away is back', () => {
  render(<ToastRegion />);
  act(() => offerBoard('Archived Board', 'b', () => Promise.resolve()));
  act(() => live.handlers.forEach((tell) => tell({ boardId: 'other' })));
  expect(offered('Archived Board')).toBe(true);
  act(() => live.handlers.forEach((tell) => tell({ boardId: 'b' })));
  expect(offered('Archived Board')).toBe(false);
});

it('reads what an item holds', () => {
  const table = at(1, { i1: 'A' });
  expect(['name', 'groupId', 'parentId', 'position'].map((field) => heldIn(table, 'i1', field))).toEqual([
    'A',
    'g1',
    null,
    null,
  ]);
  expect(heldIn(table, 'none', 'name')).toBe('gone');
});
