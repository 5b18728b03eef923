/** A step that is too large for one request goes in several, and is one step to the person all the same. */
import { act, render, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { ToastRegion } from '@shell/components';
import { signInAnother } from '@shell/testing/signIn';
import { CELLS_PER_CHANGE_MAX } from '@shell/gen/limits';
import type { Made } from './history';
import { Large } from './Large';
import { newId, piecesOf, rowsOf, type CellChange, type NewItem } from './step';
import { useOutbox } from './useOutbox';

interface Body {
  items: { itemId: string }[];
  add: NewItem[];
  archive: string[];
  delete: string[];
}
type Asked = { path: string; body: Body & { revision?: number } };
const asked: (Asked & {
  answer: (value: unknown) => Promise<void>;
  fail: (status: number, detail: string) => Promise<void>;
})[] = [];
const ask = vi.hoisted(() => ({
  run: (_path: string, _body: unknown): Promise<unknown> => Promise.reject(new Error()),
}));
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    patch: (path: string, body: unknown) => ask.run(path, body),
    post: (path: string, body: unknown) => ask.run(path, body),
  },
}));
const connection = vi.hoisted(() => ({ now: 'live' }));
vi.mock('@shell/live', async (original) => ({ ...(await original<object>()), connectionNow: () => connection.now }));
vi.mock('@shell/recordStore', () => import('@shell/testing/memoryRecords'));

beforeEach(async () => {
  // What the test before left to be sent is no part of this one.
  await signInAnother();
  asked.length = 0;
  connection.now = 'live';
  ask.run = (path, body) =>
    new Promise((resolve, reject) => {
      const settled = (run: () => void) =>
        act(async () => {
          run();
          for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        });
      asked.push({
        path,
        body: body as Asked['body'],
        answer: (value) => settled(() => resolve(value)),
        fail: (status, detail) => settled(() => reject(new ApiError(status, { detail }))),
      });
    });
});

const COLUMNS = 6;
/** Items of a piece. */
const per = Math.floor(CELLS_PER_CHANGE_MAX / COLUMNS);
const ROWS = 2 * per + 1000;
const cells: CellChange[] = Array.from({ length: ROWS }, (_, row) =>
  Array.from({ length: COLUMNS }, (_, at): CellChange => ({
    item: `i${row}`,
    column: `c${at}`,
    before: null,
    after: 'x',
  })),
).flat();

let boards = 0;
/** No page shows the board. */
const UNSEEN = { holds: () => undefined, follow: () => Promise.resolve(), settled: () => undefined };
const opened = (board: string) => renderHook(() => useOutbox(board, undefined, UNSEEN));
/** The outbox of a board with what asks it. */
function outbox() {
  render(<ToastRegion />);
  return opened(`b${++boards}`).result;
}
const last = () => asked.at(-1)!;
/** What is sent, beginning with the first item that it names. */
const begins = () => asked.map(({ path, body }) => (path.endsWith('/undo') ? body.revision : body.items[0]?.itemId));
const turn = (run: () => unknown) =>
  act(async () => {
    run();
    for (let at = 0; at < 20; at++) await Promise.resolve();
  });

describe('pieces', () => {
  it('hold whole items in their order, as many as a request takes', () => {
    const pieces = piecesOf({ cells });
    expect(pieces.map(rowsOf)).toEqual([per, per, ROWS - 2 * per]);
    expect(pieces.flatMap((piece) => piece.cells)).toEqual(cells);
    expect(piecesOf({ cells: cells.slice(0, CELLS_PER_CHANGE_MAX) })).toHaveLength(1);
    expect(piecesOf({ archive: cells.slice(0, CELLS_PER_CHANGE_MAX).map((_, at) => `i${at}`) })).toHaveLength(1);
    const add = Array.from({ length: CELLS_PER_CHANGE_MAX }, (_, at): NewItem => ({
      id: newId(at),
      name: 'N',
      cells: { c1: 1 },
    }));
    expect(piecesOf({ cells: cells.slice(0, 1), add }).map((piece) => piece.add!.length)).toEqual([
      CELLS_PER_CHANGE_MAX / 2 - 1,
      CELLS_PER_CHANGE_MAX / 2,
      1,
    ]);
  });

  it('hold fewer where their values are long', () => {
    const long = 'ü'.repeat(20_000);
    const pieces = piecesOf({
      cells: cells
        .filter((_, at) => at % COLUMNS === 0)
        .slice(0, 400)
        .map((cell) => ({ ...cell, after: long })),
    });
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces)
      expect(new TextEncoder().encode(JSON.stringify(piece)).length).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('a step that is too large for one request', () => {
  it('is sent piece behind piece, says how far it is, and is taken back and done again as one', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    expect(begins()).toEqual(['i0']);
    expect(at.current.progress).toMatchObject([{ way: 'do', rows: ROWS, done: 0 }]);
    await last().answer({ boardRevision: 2 });
    expect(at.current.progress).toMatchObject([{ done: per }]);
    await last().answer({ boardRevision: 3 });
    await last().answer({ boardRevision: 4 });
    expect(begins()).toEqual(['i0', `i${per}`, `i${2 * per}`]);
    expect(at.current.progress).toEqual([]);
    asked.length = 0;
    await turn(() => at.current.undo());
    expect(at.current.progress).toMatchObject([{ way: 'undo', rows: ROWS, done: 0 }]);
    for (const undoneBy of [5, 6, 7]) await last().answer({ undoneBy });
    expect(begins()).toEqual([4, 3, 2]);
    asked.length = 0;
    await turn(() => at.current.redo());
    for (const undoneBy of [8, 9, 10]) await last().answer({ undoneBy });
    expect(begins()).toEqual([7, 6, 5]);
    asked.length = 0;
    await turn(() => at.current.undo());
    expect(begins()).toEqual([10]);
  });

  it('ends where a piece is refused, says how many went in, and undo takes back those', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    await last().answer({ boardRevision: 2 });
    await last().fail(422, 'The board is full.');
    expect(screen.getByText(`Only ${per.toLocaleString()} of ${ROWS.toLocaleString()} items saved`)).toBeTruthy();
    expect(screen.getByText('The board is full.')).toBeTruthy();
    expect([begins(), at.current.shown.length, at.current.progress]).toEqual([['i0', `i${per}`], 1, []]);
    asked.length = 0;
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await last().answer({ undoneBy: 3 });
    expect(begins()).toEqual([2]);
    // Nothing is left to take back.
    await turn(() => at.current.undo());
    expect(begins()).toEqual([2]);
  });

  it('of which nothing went in is forgotten: undo does not do it again', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    await last().fail(422, 'No.');
    asked.length = 0;
    await turn(() => at.current.undo());
    expect(asked).toEqual([]);
  });

  it('came to what its last changing piece came to, also where others changed nothing', async () => {
    const at = outbox();
    const write = async (answers: object[]) => {
      let made: Made | null = null;
      await turn(() => (made = at.current.write({ cells })));
      for (const answer of answers) await last().answer(answer);
      return made!.revision;
    };
    const unchanged = { boardRevision: 1, unchanged: true };
    expect(await write([unchanged, { boardRevision: 2 }, unchanged])).toBe(2);
    expect(await write([unchanged, unchanged, unchanged])).toBe('unchanged');
    asked.length = 0;
    // The last one has nothing to take back.
    await turn(() => at.current.undo());
    await last().answer({ undoneBy: 3 });
    expect(begins()).toEqual([2]);
  });

  it('can be cancelled: what is on its way goes in, the rest does not', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    const { unmount } = render(<Large progress={at.current.progress} />);
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    unmount();
    await last().answer({ boardRevision: 2 });
    expect(begins()).toEqual(['i0']);
    expect(screen.getByText(`Canceled: ${per.toLocaleString()} of ${ROWS.toLocaleString()} items saved`)).toBeTruthy();
    await turn(() => at.current.undo());
    expect(begins()).toEqual(['i0', 2]);
  });

  it('does again no more than was left of it when it was cancelled', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    await turn(() => at.current.progress[0]!.cancel());
    await last().fail(0, 'No answer.');
    await turn(() => at.current.undo());
    await turn(() => at.current.redo());
    expect(at.current.shown.flatMap((step) => step.cells)).toEqual(cells.slice(0, per * COLUMNS));
  });

  it('is sent in its order when it is done again before any of it was sent', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    connection.now = 'lost';
    await last().fail(0, 'No answer.');
    await turn(() => at.current.undo());
    expect(at.current.shown).toEqual([]);
    await turn(() => at.current.redo());
    expect(at.current.shown.flatMap((step) => step.cells)).toEqual(cells);
  });

  it('is taken back as far as can be, which is said; without an answer the rest can be tried again', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    for (const boardRevision of [2, 3, 4]) await last().answer({ boardRevision });
    asked.length = 0;
    await turn(() => at.current.undo());
    await last().fail(409, 'It was changed since.');
    await last().answer({ undoneBy: 5 });
    await last().fail(503, 'The program is ending.');
    expect(screen.getByText(`Only ${per.toLocaleString()} of ${ROWS.toLocaleString()} items undone`)).toBeTruthy();
    await turn(() => at.current.undo());
    await last().answer({ undoneBy: 6 });
    expect(begins()).toEqual([4, 3, 2, 2]);
    await turn(() => at.current.redo());
    await last().answer({ undoneBy: 7 });
    expect(begins()).toEqual([4, 3, 2, 2, 6, 5]);
  });

  it('that is taken back before all of it was sent is sent no further', async () => {
    const at = outbox();
    await turn(() => at.current.write({ cells }));
    await last().answer({ boardRevision: 2 });
    await turn(() => at.current.undo());
    await last().answer({ boardRevision: 3 });
    for (const undoneBy of [4, 5]) await last().answer({ undoneBy });
    expect(begins()).toEqual(['i0', `i${per}`, 3, 2]);
  });

  describe('where the board is left', () => {
    const isAsked = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));

    it('goes on, shows on the way back how far it is and is cancelled there; closing the page is asked about until it is sent', async () => {
      render(<ToastRegion />);
      const [board, other] = [`b${++boards}`, `b${++boards}`];
      const first = opened(board);
      expect(isAsked()).toBe(false);
      await turn(() => first.result.current.write({ cells }));
      first.unmount();
      expect(opened(other).result.current.progress).toEqual([]);
      await last().answer({ boardRevision: 2 });
      expect([begins(), isAsked()]).toEqual([['i0', `i${per}`], true]);
      const back = opened(board).result;
      expect(back.current.progress).toMatchObject([{ way: 'do', rows: ROWS, done: per }]);
      expect(back.current.shown).toHaveLength(3);
      await turn(() => back.current.progress[0]!.cancel());
      expect(isAsked()).toBe(true);
      await last().answer({ boardRevision: 3 });
      expect([begins(), back.current.progress, isAsked()]).toEqual([['i0', `i${per}`], [], false]);
      expect(
        screen.getByText(`Canceled: ${(2 * per).toLocaleString()} of ${ROWS.toLocaleString()} items saved`),
      ).toBeTruthy();
      await turn(() => back.current.undo());
      for (const undoneBy of [4, 5]) await last().answer({ undoneBy });
      expect(begins()).toEqual(['i0', `i${per}`, 3, 2]);
    });

    it('says there what was refused, and Undo takes back what went in', async () => {
      render(<ToastRegion />);
      const board = `b${++boards}`;
      const first = opened(board);
      await turn(() => first.result.current.write({ cells }));
      first.unmount();
      await last().answer({ boardRevision: 2 });
      await last().fail(422, 'The board is full.');
      expect(isAsked()).toBe(false);
      asked.length = 0;
      await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
      expect([begins(), isAsked(), opened(board).result.current.progress]).toMatchObject([
        [2],
        true,
        [{ way: 'undo' }],
      ]);
      await last().answer({ undoneBy: 3 });
      expect(isAsked()).toBe(false);
    });

    it('is taken back no further for who signs in meanwhile', async () => {
      const at = outbox();
      await turn(() => at.current.write({ cells }));
      for (const boardRevision of [2, 3, 4]) await last().answer({ boardRevision });
      asked.length = 0;
      await turn(() => at.current.undo());
      await turn(() => at.current.undo());
      await signInAnother();
      await last().answer({ undoneBy: 5 });
      expect([begins(), screen.queryByText(/undone/)]).toEqual([[4], null]);
    });

    it('is forgotten once another may sign in', async () => {
      const board = `b${++boards}`;
      const first = opened(board);
      await turn(() => first.result.current.write({ cells }));
      first.unmount();
      await signInAnother();
      expect([opened(board).result.current.progress, isAsked()]).toEqual([[], false]);
    });
  });
});
