/** What is done to columns, groups and views stands on the same stack as what is typed, in the order in which it was done. */
import { act, render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { ToastRegion } from '@shell/components';
import { signInAnother } from '@shell/testing/signIn';
import { change } from '../changes';
import { viewChange } from '../views/data';
import { boxOf } from './box';

type Send = (path: string, body?: unknown) => Promise<unknown>;
const api = vi.hoisted(() => ({ patch: vi.fn<Send>(), post: vi.fn<Send>(), delete: vi.fn<Send>() }));
vi.mock('@shell/api', async (original) => ({ ...(await original<object>()), api }));
vi.mock('@shell/live', async (original) => ({ ...(await original<object>()), connectionNow: () => 'live' }));
vi.mock('@shell/recordStore', () => import('@shell/testing/memoryRecords'));

beforeEach(async () => {
  await signInAnother();
  for (const send of Object.values(api)) send.mockReset();
  api.patch.mockResolvedValue({ boardRevision: 7 });
  api.delete.mockResolvedValue({ boardRevision: 8 });
  api.post.mockImplementation((_, body) => Promise.resolve({ undoneBy: 10 + (body as { revision: number }).revision }));
});

const turn = (run: () => unknown = () => undefined) =>
  act(async () => {
    run();
    for (let at = 0; at < 20; at++) await Promise.resolve();
  });
/** A board of which a cell was typed. */
async function typed() {
  render(<ToastRegion />);
  const box = boxOf('b');
  // The board is open.
  box.subscribe(() => undefined);
  await turn(() => box.write({ cells: [{ item: 'i', column: 'c1', before: null, after: 777 }] }));
  return box;
}
const takenBack = () => api.post.mock.calls.map(([, body]) => body);

it('goes back and forth over a deleted column before the cell that was typed earlier', async () => {
  const box = await typed();
  await turn(() => change.deleteColumn('b', 'c2'));
  for (const way of ['undo', 'undo', 'redo', 'redo'] as const) await turn(() => box.go(way));
  expect(takenBack()).toEqual([{ revision: 8 }, { revision: 7 }, { revision: 17 }, { revision: 18 }]);
});

it('knows a view by its change', async () => {
  const box = await typed();
  api.delete.mockResolvedValue({ changeId: 'x1' });
  api.post.mockResolvedValue({ changeId: 'x2', boardRevision: 7 });
  await turn(() => viewChange.delete('b', { id: 'v', name: 'Stages' }));
  await turn(() => box.go('undo'));
  await turn(() => box.go('redo'));
  expect(takenBack()).toEqual([{ changeId: 'x1' }, { changeId: 'x2' }]);
});

it('waits for what is still being asked, and says why something cannot be taken back instead of taking back what is older', async () => {
  const box = await typed();
  let answer: (value: unknown) => void = () => undefined;
  api.delete.mockReturnValue(new Promise((resolve) => (answer = resolve)));
  api.post.mockRejectedValue(new ApiError(409, { detail: 'It was changed again by Anna.' }));
  await turn(() => void change.deleteColumn('b', 'c2'));
  await turn(() => box.go('undo'));
  expect(takenBack()).toEqual([]);
  await turn(() => answer({ boardRevision: 8 }));
  expect(takenBack()).toEqual([{ revision: 8 }]);
  expect(screen.getByText('It was changed again by Anna.')).toBeTruthy();
});

it('says what the keys took back and did again, one message in the place of the other', async () => {
  const box = await typed();
  await turn(() => change.addColumn('b', 'Weight', 'number'));
  await turn(() => box.go('undo'));
  expect(screen.getByText('Undid: adding the column Weight')).toBeTruthy();
  await turn(() => box.go('undo'));
  expect(screen.getByText('Undid: a column of an item')).toBeTruthy();
  expect(screen.queryByText(/Weight/)).toBeNull();
  await turn(() => box.go('redo'));
  expect(screen.getByText('Redid: a column of an item')).toBeTruthy();
  // Nothing went, and nothing is said of it.
  api.post.mockRejectedValue(new ApiError(409, { detail: 'In the way.' }));
  await turn(() => box.go('undo'));
  expect(screen.queryByText(/Undid/)).toBeNull();
});

it('forgets what was refused', async () => {
  const box = await typed();
  api.delete.mockRejectedValue(new ApiError(409, {}));
  await turn(() => change.deleteColumn('b', 'c2').catch(() => undefined));
  await turn(() => box.go('undo'));
  expect(takenBack()).toEqual([{ revision: 7 }]);
});

it.each([
  ['a board', () => change.renameBoard('b', 'Same'), { revision: 7, unchanged: true }],
  ['a column', () => change.updateColumn('b', 'c1', { title: 'Same', was: {} }), { boardRevision: 7, unchanged: true }],
  ['a view', () => viewChange.rename('b', { id: 'v', name: 'Was' }, 'Same'), { unchanged: true }],
])('takes back what was done before where %s was so already', async (_, same, answer) => {
  const box = await typed();
  await turn(() => change.deleteColumn('b', 'c2'));
  api.patch.mockResolvedValue(answer);
  await turn(same);
  await turn(() => box.go('undo'));
  expect(takenBack()).toEqual([{ revision: 8 }]);
  // Ctrl+Z meant for it before it is answered goes to the one before as well.
  let arrives: (value: unknown) => void = () => undefined;
  api.patch.mockReturnValue(new Promise((resolve) => (arrives = resolve)));
  await turn(() => void same());
  await turn(() => box.go('undo'));
  await turn(() => arrives(answer));
  expect(takenBack()).toEqual([{ revision: 8 }, { revision: 7 }]);
});

it('is taken back from its message as the same step', async () => {
  const box = await typed();
  api.patch.mockResolvedValue({ revision: 9 });
  await turn(async () => box.takeBack((await change.renameBoard('b', 'New')).made));
  await turn(() => box.go('undo'));
  expect(takenBack()).toEqual([{ revision: 9 }, { revision: 7 }]);
});
