/** The steps of a board: what is sent of them, what this browser keeps, and what undo and redo make of it. */
import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { disk, recordsIn, storedIn } from '@shell/testing/memoryRecords';
import { signInAnother } from '@shell/testing/signIn';
import { boxOf } from './box';
import type { CellChange, Step } from './step';
import { useOutbox } from './useOutbox';

interface Asked {
  /** What is written of which items, or the revision that is taken back. */
  what: unknown;
  /** Names of what is added. */
  added: string[];
  /** Under which id. */
  id: string | undefined;
  answer: (value: unknown) => Promise<void>;
  fail: (status: number, problem?: Record<string, unknown>, retryAfter?: number) => Promise<void>;
}
const asked: Asked[] = [];
const ask = vi.hoisted(() => ({ run: (_body: unknown): Promise<unknown> => Promise.reject(new Error()) }));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    patch: (_path: string, body: unknown) => ask.run(body),
    post: (_path: string, body: unknown) => ask.run(body),
  },
}));
vi.mock('@shell/live', async (original) => ({ ...(await original<object>()), connectionNow: () => 'live' }));
vi.mock('@shell/recordStore', () => import('@shell/testing/memoryRecords'));
const stored = () => storedIn<Step>('pilothouse-steps');

const turn = (run: () => unknown = () => undefined) =>
  act(async () => {
    run();
    for (let at = 0; at < 20; at++) await Promise.resolve();
  });

beforeEach(async () => {
  // What the test before left to be sent is no part of this one.
  await signInAnother();
  asked.length = 0;
  recordsIn('pilothouse-steps').clear();
  disk.written = Promise.resolve();
  ask.run = (body) =>
    new Promise((resolve, reject) => {
      const {
        items,
        add = [],
        revision,
        stepId,
      } = body as {
        items?: { itemId: string; cells: unknown }[];
        add?: { name: string }[];
        revision?: number;
        stepId?: string;
      };
      asked.push({
        id: stepId,
        added: add.map(({ name }) => name),
        what: revision ?? items?.map(({ itemId, cells }) => [itemId, cells]),
        answer: (value) => turn(() => resolve(value)),
        fail: (status, problem = {}, retryAfter) => turn(() => reject(new ApiError(status, problem, retryAfter))),
      });
    });
});

let boards = 0;
/** No page shows the board. */
const UNSEEN = { holds: () => undefined, follow: () => Promise.resolve(), settled: () => undefined };
const boardNow = () => `b${boards}`;
const opened = (board = `b${++boards}`) => renderHook(() => useOutbox(board, undefined, UNSEEN)).result;
const last = () => asked.at(-1)!;
const added = () => asked.map((one) => one.added);
const whats = () => asked.map(({ what }) => what);
const cell = (item: string, column: string, before: number, after: number): CellChange => ({
  item,
  column,
  before,
  after,
});
const keptCells = () => stored().map(({ cells }) => cells);

it('keeps what waits behind a decision about the same item, and sends it after that', async () => {
  const [first, behind, other] = [cell('x', 'n', 5, 7), cell('x', 'm', 1, 99), cell('y', 'n', 1, 2)];
  const at = opened();
  await turn(() => at.current.write({ cells: [first] }));
  await last().fail(412, { conflicts: [{ itemId: 'x', name: 'X', field: 'n', present: 6, mine: 7 }] });
  await turn(() => at.current.write({ cells: [behind] }));
  await turn(() => at.current.write({ cells: [other] }));
  expect(keptCells()).toEqual([[first], [behind]]);
  expect(at.current).toMatchObject({ waiting: 0, troubled: [{ cells: [first] }], behind: 1 });
  await last().answer({ boardRevision: 2 });
  const [troubled] = at.current.troubled;
  await turn(() => at.current.decide(troubled!, [{ item: 'x', name: 'X', column: 'n', mine: 7, theirs: 6 }], 'mine'));
  // Until the program has it, it is kept on.
  expect(keptCells()).toEqual([[{ ...first, before: 6 }], [behind]]);
  await last().answer({ boardRevision: 3 });
  await last().answer({ boardRevision: 4 });
  expect(whats()).toEqual([[['x', { n: 7 }]], [['y', { n: 2 }]], [['x', { n: 7 }]], [['x', { m: 99 }]]]);
  expect([keptCells(), at.current.behind]).toEqual([[], 0]);
});

it('asks about what the program fails at, and sends what comes after it', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 5, 7)] }));
  await turn(() => at.current.write({ cells: [cell('y', 'n', 1, 7)] }));
  await last().fail(500, { detail: 'Something failed inside.' });
  expect(at.current).toMatchObject({
    waiting: 0,
    troubled: [{ cells: [{ item: 'x' }], problem: { refused: 'Something failed inside.' } }],
  });
  expect(keptCells()).toEqual([[cell('x', 'n', 5, 7)]]);
  await last().answer({ boardRevision: 2 });
  await turn(() => at.current.retry(at.current.troubled[0]!));
  await last().answer({ boardRevision: 3 });
  expect(whats()).toEqual([[['x', { n: 7 }]], [['y', { n: 7 }]], [['x', { n: 7 }]]]);
  expect([at.current.troubled, stored()]).toEqual([[], []]);
});

it('asks about a name that was typed and refused, and keeps what was added below it behind that', async () => {
  const at = opened();
  await turn(() => at.current.write({ add: [{ id: 'p', name: 'Sail', cells: {} }] }));
  await turn(() => at.current.write({ add: [{ id: 's', name: 'Sew', parentId: 'p', cells: {} }] }));
  await last().fail(409, { detail: 'The board is full.' });
  expect(at.current).toMatchObject({
    troubled: [{ add: [{ name: 'Sail' }], problem: { refused: 'The board is full.' } }],
    behind: 1,
  });
  expect(stored().map(({ add }) => add[0]?.name)).toEqual(['Sail', 'Sew']);
  await turn(() => at.current.retry(at.current.troubled[0]!));
  await last().answer({ boardRevision: 2 });
  await last().answer({ boardRevision: 3 });
  expect(added()).toEqual([['Sail'], ['Sail'], ['Sew']]);
});

it('takes back the step before one that changed nothing', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 5, 7)] }));
  await last().answer({ boardRevision: 2 });
  await turn(() => at.current.write({ cells: [cell('y', 'n', 5, 7)] }));
  await last().answer({ boardRevision: 3, unchanged: true });
  // Another has made that revision; it is shown as the program has it.
  await turn(() => at.current.undo());
  expect(whats().at(-1)).toBe(2);
});

it('takes back the step before one that turns out to have changed nothing', async () => {
  const at = opened();
  for (const [item, boardRevision] of [
    ['x', 2],
    ['y', 3],
  ] as const) {
    await turn(() => at.current.write({ cells: [cell(item, 'n', 5, 7)] }));
    await last().answer({ boardRevision });
  }
  await turn(() => at.current.write({ cells: [cell('z', 'n', 5, 7)] }));
  await turn(() => at.current.undo());
  await last().answer({ boardRevision: 3, unchanged: true });
  await last().answer({ undoneBy: 4 });
  expect(whats().slice(2)).toEqual([[['z', { n: 7 }]], 3]);
});

it('takes nothing back of what arrived as no change, undone before that was known', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 5, 7)] }));
  await last().fail(0);
  await turn(() => at.current.undo());
  await turn(() => boxOf(boardNow()).pump());
  expect(asked).toHaveLength(2);
  await last().answer({ boardRevision: 3, unchanged: true });
  expect([whats().length, at.current.waiting]).toEqual([2, 0]);
});

it('takes back, when asked again, what the program took no undo of for a while', async () => {
  const at = opened();
  for (const [item, boardRevision] of [
    ['x', 2],
    ['y', 3],
  ] as const) {
    await turn(() => at.current.write({ cells: [cell(item, 'n', 5, 7)] }));
    await last().answer({ boardRevision });
  }
  asked.length = 0;
  for (const status of [503, 0, 401]) {
    await turn(() => at.current.undo());
    await last().fail(status);
  }
  await turn(() => at.current.undo());
  await last().answer({ undoneBy: 4 });
  await turn(() => at.current.undo());
  expect(whats()).toEqual([3, 3, 3, 3, 2]);
});

it('sends nothing more for one who has signed out meanwhile', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 5, 7)] }));
  await turn(() => at.current.write({ cells: [cell('y', 'n', 1, 7)] }));
  await turn(() => signInAnother());
  await last().answer({ boardRevision: 2 });
  expect(whats()).toEqual([[['x', { n: 7 }]]]);
  // Sending again what arrived already changes nothing.
  expect(keptCells()).toEqual([[cell('x', 'n', 5, 7)], [cell('y', 'n', 1, 7)]]);
});

it('sends again what the program was asked too much for, and nothing before it says', async () => {
  vi.useFakeTimers();
  try {
    const at = opened();
    await turn(() => at.current.write({ cells: [cell('x', 'n', 5, 7)] }));
    await last().fail(429, { detail: 'Too much at once.' }, 20);
    await turn(() => at.current.write({ cells: [cell('y', 'n', 1, 7)] }));
    await turn(() => vi.advanceTimersByTime(19_000));
    expect([whats(), at.current.waiting, at.current.troubled]).toEqual([[[['x', { n: 7 }]]], 2, []]);
    await turn(() => vi.advanceTimersByTime(2_000));
    await last().answer({ boardRevision: 2 });
    expect(whats()).toEqual([[['x', { n: 7 }]], [['x', { n: 7 }]], [['y', { n: 7 }]]]);
  } finally {
    vi.useRealTimers();
  }
});

it('sends again as the same step what may have arrived and was taken back since, and takes it back there', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 3, 8)] }));
  await last().fail(0);
  await turn(() => at.current.undo());
  expect([at.current.shown, at.current.waiting]).toEqual([[], 1]);
  await turn(() => at.current.redo());
  expect(at.current.shown).toMatchObject([{ cells: [{ after: 8 }] }]);
  await turn(() => at.current.undo());
  // What comes behind it stands on what it is taken back to. The program is there again.
  await turn(() => at.current.write({ cells: [cell('x', 'n', 3, 9)] }));
  expect(asked[1]!.id).toBe(asked[0]!.id);
  await last().answer({ boardRevision: 2 });
  await last().answer({ undoneBy: 3 });
  expect(at.current.shown).toMatchObject([{ cells: [{ after: 9 }] }]);
  await last().answer({ boardRevision: 4 });
  expect(whats()).toEqual([[['x', { n: 8 }]], [['x', { n: 8 }]], 2, [['x', { n: 9 }]]]);
  expect([asked[3]!.id === asked[0]!.id, stored()]).toEqual([false, []]);
});

it('does again by its undo what had arrived and was taken back once that was known', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 3, 8)] }));
  await last().fail(0);
  await turn(() => at.current.undo());
  await turn(() => boxOf(boardNow()).pump());
  await last().answer({ boardRevision: 2 });
  await last().answer({ undoneBy: 3 });
  await turn(() => at.current.redo());
  await last().answer({ undoneBy: 4 });
  await turn(() => at.current.undo());
  expect(whats().slice(2)).toEqual([2, 3, 4]);
});

it('takes nothing back of what was refused when it was sent again', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 3, 8)] }));
  await last().fail(0);
  await turn(() => at.current.undo());
  await turn(() => boxOf(boardNow()).pump());
  await last().fail(412, { conflicts: [{ itemId: 'x', name: 'X', field: 'n', present: 6, mine: 8 }] });
  expect([at.current.troubled, at.current.shown, stored()]).toEqual([[], [], []]);
});

it('asks before the page goes until what waits is written', async () => {
  const isAsked = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
  let written: () => void = () => undefined;
  disk.written = new Promise((resolve) => (written = resolve));
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 3, 8)] }));
  await last().fail(0);
  expect([at.current.waiting, isAsked()]).toEqual([1, true]);
  await turn(() => written());
  expect(isAsked()).toBe(false);
});

it('knows what the program said of why it takes nothing, until it does not answer at all', async () => {
  const at = opened();
  await turn(() => at.current.write({ cells: [cell('x', 'n', 3, 8)] }));
  await last().fail(503, { detail: 'The disk is full.' });
  expect([at.current.waiting, at.current.why]).toEqual([1, 'The disk is full.']);
  await turn(() => boxOf(boardNow()).pump());
  await last().fail(0, { detail: 'No answer.' });
  expect([at.current.waiting, at.current.why]).toEqual([1, null]);
});
