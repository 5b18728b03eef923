import { expect, it } from 'vitest';
import { ApiError } from '@shell/api';
import type { CellValue } from './data';
import type { Changed } from './table';
import { send, withEdit, type Ports, type WaitingEdit } from './waiting';

const edit = (more: Partial<WaitingEdit> = {}): WaitingEdit => ({ board: 'b', item: 'i', column: 'c1', was: 'old', revision: 3, value: 'mine', name: 'Item', at: 1, ...more });
const refusal = (status: number, detail = 'No.') => new ApiError(status, { detail, code: status === 0 ? 'unreachable' : 'x' });

/** A program whose board holds a value of `i`/`c1` at a revision; `before` runs ahead of each write. */
function program(cell: CellValue, revision: number, before: (state: { cell: CellValue; revision: number }) => void = () => undefined) {
  const state = { cell, revision };
  const writes: string[] = [];
  const ports: Ports = {
    changed: (_, since) =>
      Promise.resolve({
        board: { revision: state.revision },
        items: state.revision > since ? [{ id: 'i', groupId: 'g', name: 'Item', position: 1, cells: { c1: state.cell } }] : [],
        moved: [],
        removed: [],
        reload: false,
      } as unknown as Changed),
    write: async (one, seen) => {
      before(state);
      writes.push(`${String(one.value)} at ${seen}`);
      if (seen !== state.revision) throw refusal(412);
      state.cell = one.value;
      state.revision += 1;
      return { id: 'i', name: 'Item', cells: { c1: state.cell }, boardRevision: state.revision };
    },
  };
  return { state, writes, ports };
}

it('is written while the cell holds what was seen', async () => {
  const { ports, writes } = program('old', 3);
  expect(await send(edit(), ports)).toEqual({ saved: 'mine', revision: 4 });
  expect(writes).toEqual(['mine at 3']);
});

it('is not written twice when only the answer was lost', async () => {
  const { ports, writes } = program('mine', 9);
  expect(await send(edit(), ports)).toEqual({ saved: 'mine', revision: 9 });
  expect(writes).toEqual([]);
});

it('never overwrites what someone else wrote meanwhile, not even at the last moment', async () => {
  expect(await send(edit(), program('theirs', 5).ports)).toEqual({ current: 'theirs', revision: 5 });
  const raced = program('old', 3, (state) => {
    if (state.revision === 3) Object.assign(state, { cell: 'theirs', revision: 4 });
  });
  expect(await send(edit(), raced.ports)).toEqual({ current: 'theirs', revision: 4 });
  expect(raced.state.cell).toBe('theirs');
});

it('looks again when another cell was changed at the same moment', async () => {
  const { ports, writes } = program('old', 3, (state) => {
    if (state.revision === 3) state.revision = 4;
  });
  expect(await send(edit(), ports)).toEqual({ saved: 'mine', revision: 5 });
  expect(writes).toEqual(['mine at 3', 'mine at 4']);
});

it('waits on while the program is away, and says what it refuses', async () => {
  const failing = (status: number): Ports => ({ ...program('old', 3).ports, write: () => Promise.reject(refusal(status, 'Not a label.')) });
  expect(await send(edit(), failing(0))).toEqual({ away: true });
  expect(await send(edit(), failing(503))).toEqual({ away: true });
  expect(await send(edit(), failing(422))).toEqual({ refused: 'Not a label.' });
  const gone: Ports = { ...program('old', 3).ports, changed: () => Promise.resolve({ board: { revision: 4 }, items: [], moved: [], removed: ['i'], reload: false } as unknown as Changed) };
  expect(await send(edit(), gone)).toEqual({ refused: 'The item was deleted.' });
});

it('keeps the order, and of one cell the newest value with what was seen first', () => {
  const waiting = [edit(), edit({ column: 'c2', at: 2 })];
  expect(withEdit(waiting, edit({ value: 'later', was: 'mine', revision: 8, at: 3 }))).toEqual([edit({ value: 'later' }), waiting[1]]);
  expect(withEdit(waiting, edit({ item: 'j', at: 3 })).map((one) => one.at)).toEqual([1, 2, 3]);
});
