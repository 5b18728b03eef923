import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '@shell/api';
import { ToastRegion } from '@shell/components';
import { makeQueryClient } from '@shell/query';
import type { Preview } from './import/importing';
import { boxOf } from './outbox/box';

const told = vi.hoisted(() => ({ progress: (_: { importId: string; rows: number; rowsExpected: number }) => {} }));
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  useLiveEvent: (name: string, handler: typeof told.progress) => {
    if (name === 'import-progress') told.progress = handler;
  },
}));
const workspaces = vi.hoisted(() => ({ current: undefined as { id: string } | undefined }));
vi.mock('@shell/workspace', () => ({ useWorkspaces: () => workspaces }));
vi.mock('./data', async (original) => ({
  ...(await original<object>()),
  useBoards: () => ({ data: [], refetch: () => Promise.resolve() }),
}));
vi.mock('./import/importing', async (original) => ({
  ...(await original<object>()),
  send: vi.fn(),
  cancelImport: vi.fn(),
  undoImport: vi.fn(),
}));
vi.mock('@shell/recordStore', () => import('@shell/testing/memoryRecords'));
const { cancelImport, send, undoImport } = await import('./import/importing');
const { ImportDialog } = await import('./ImportDialog');

const preview: Preview = {
  tool: null,
  encoding: 'UTF-8',
  delimiter: ',',
  quote: null,
  sheets: [],
  notes: ['The encoding was guessed.'],
  hasHeader: true,
  rowsEstimated: 40,
  rowsTaken: 40,
  misfitRows: 0,
  columns: [{ index: 0, title: 'Name', role: 'name', sample: ['Paint'], notes: [] }],
  problems: [],
  update: null,
};
/** What a request asked, and with what it can be broken off. */
const asked = (at: number) => vi.mocked(send).mock.calls[at]!;
let answer: (imported: unknown) => void;
let refuse: (reason: Error) => void;

beforeEach(() => {
  workspaces.current = { id: 'w1' };
  vi.mocked(cancelImport).mockReset();
  vi.mocked(send)
    .mockReset()
    .mockImplementation(
      (_file, _query, signal) =>
        new Promise((resolve, reject) => {
          answer = resolve as typeof answer;
          refuse = reject;
          signal?.addEventListener('abort', () => reject(new DOMException('Ended.', 'AbortError')));
        }),
    );
});

/** What is on a button, or beside a switch. Searching by role measures every element, which takes its time. */
const press = (words: string) => act(async () => fireEvent.click(screen.getByText(words)));
const IMPORT = 'Import 40 rows';
/** The choices under a name, as forms have them. */
const listOf = (name: string | RegExp) =>
  screen.getByLabelText(name, { selector: 'button' }).closest('.field')!.querySelector('select')!;
const choose = (name: string | RegExp, value: string) =>
  act(async () => fireEvent.change(listOf(name), { target: { value } }));
const KEY = /Import Key as/;
const ORDER = /Day and month order/;

const dialog = (into?: string) => (
  <QueryClientProvider client={makeQueryClient()}>
    <ImportDialog isOpen into={into} onClose={() => undefined} />
  </QueryClientProvider>
);

/** Chooses a file and looks at what would become of it. */
async function open(columns = preview.columns, more: Partial<Preview> = {}, into?: string) {
  vi.mocked(send).mockResolvedValueOnce({ ...preview, columns, ...more });
  render(dialog(into));
  const files = [new File(['Name\nPaint\n'], 'ship.csv')];
  await act(async () => fireEvent.change(screen.getByLabelText('File to import'), { target: { files } }));
  expect(screen.getByText(IMPORT)).toBeDefined();
}

it.each([
  [false, 'skip'],
  [true, 'stop'],
])('a row that cannot be read is left out, or nothing is taken, as chosen (%s)', async (nothing, onError) => {
  await open();
  const one = screen.getByLabelText<HTMLInputElement>("Import nothing if a row can't be read");
  if (nothing) await act(async () => fireEvent.click(one));
  expect(one.checked).toBe(nothing);
  await press(IMPORT);
  expect(asked(1)[1]).toMatchObject({ workspaceId: 'w1', name: 'ship', onError, onMisfit: 'cell' });
});

it('what tells the rows apart is as the program proposes, which the import is told, and what would change is named', async () => {
  const cell = { itemId: 'i1', name: 'Paint', field: 'c1', title: 'Status', board: 'Open', file: 'Done' };
  const update = {
    added: 0,
    changed: 1,
    unchanged: 39,
    missing: 0,
    missingItems: [],
    kept: 1,
    keptCells: [{ ...cell, board: 'Stuck' }],
    changedCount: 1,
    changedCells: [cell],
    stayDeleted: 0,
  };
  await open(preview.columns, { key: 0, update }, 'b1');
  expect(listOf('Key column').value).toBe('0');
  const named = [...document.querySelectorAll('details')].map((one) =>
    [...one.querySelectorAll('summary, li')].map((line) => line.textContent),
  );
  expect(named).toEqual([
    ['Changes: 1 cell', 'Paint, Status: Open → Done'],
    ['Changed here and kept: 1 cell', 'Paint, Status: Stuck → Done'],
  ]);
  await press(IMPORT);
  expect([asked(0)[1].key, asked(1)[1].key]).toEqual([undefined, '0']);
});

it('no file is asked for before it is known which workspace it goes into', () => {
  workspaces.current = undefined;
  const { rerender } = render(dialog());
  expect(screen.queryByLabelText('File to import')).toBeNull();
  workspaces.current = { id: 'w1' };
  rerender(dialog());
  expect(screen.getByLabelText('File to import')).toBeDefined();
});

it('what is to be known about how the file is read is said', async () => {
  await open();
  expect(screen.getByText('The encoding was guessed.')).toBeDefined();
});

it('the progress is of the rows that are expected, told by its own import alone', async () => {
  await open();
  await press(IMPORT);
  const bar = () => screen.getByLabelText<HTMLProgressElement>('Rows imported');
  expect([bar().tagName, bar().value, bar().max]).toEqual(['PROGRESS', 0, 40]);
  const importId = String(asked(1)[1].importId);
  act(() => told.progress({ importId, rows: 1500, rowsExpected: 6000 }));
  expect([bar().value, bar().max]).toEqual([1500, 6000]);
  expect(screen.getByText('1,500 of about 6,000 rows')).toBeDefined();
  act(() => told.progress({ importId: 'another', rows: 1, rowsExpected: 2 }));
  expect([bar().value, bar().max]).toEqual([1500, 6000]);
  await act(async () =>
    answer({
      board: { id: 'b1', name: 'ship' },
      importId,
      rowsImported: 38,
      rowsSkipped: 2,
      problems: [{ line: 3, code: 'x', detail: 'Too few cells.' }],
    }),
  );
  expect(screen.getByText('Line 3: Too few cells.')).toBeDefined();
  expect(screen.queryByLabelText('Rows imported')).toBeNull();
});

it('a choice that is made before the answer to another is added to it, and a refused one springs back', async () => {
  const found = { role: 'column' as const, sample: ['x'], notes: [] };
  await open([
    ...preview.columns,
    { ...found, index: 1, title: 'Key', type: 'text' },
    { ...found, index: 2, title: 'Due', type: 'date', dateOrder: 'day-first' },
  ]);
  const titles = screen.getByLabelText<HTMLInputElement>('First row has titles');
  await act(async () => fireEvent.click(titles));
  await choose(KEY, 'longText');
  expect(asked(2)[1]).toMatchObject({ header: 'false', columns: '[{"index":1,"type":"longText"}]' });
  await choose(KEY, 'group');
  await choose(ORDER, 'month-first');
  expect(asked(4)[1]).toMatchObject({
    header: 'false',
    dateOrder: 'month-first',
    columns: '[{"index":1,"role":"group"}]',
  });
  await act(async () => refuse(new Error('No.')));
  expect([titles.checked, listOf(KEY).value]).toEqual([true, 'text']);
  await choose(KEY, 'number');
  expect(asked(5)[1]).toEqual({ workspaceId: 'w1', dryRun: 'true', columns: '[{"index":1,"type":"number"}]' });
});

it('Cancel breaks the sending off, ends the import in the program, and shows what would be imported again', async () => {
  await open();
  await press(IMPORT);
  await press('Cancel import');
  expect(asked(1)[2]?.aborted).toBe(true);
  expect(cancelImport).toHaveBeenCalledExactlyOnceWith(asked(1)[1].importId);
  expect(screen.getByText(IMPORT)).toBeDefined();
  expect(document.querySelector('[role=alert]')).toBeNull();
});

it('an import into a board that the program is away for is taken back by the same key once it is there, and its message goes', async () => {
  vi.mocked(undoImport)
    .mockRejectedValueOnce(new ApiError(0, { detail: 'No answer.' }))
    .mockResolvedValue({
      boardId: 'b1',
      boardDeleted: false,
      changedSince: false,
      groupsRemoved: 0,
      kept: [],
      keptCount: 0,
      labelsRemoved: 0,
      removed: 2,
      restored: 1,
    });
  render(<ToastRegion />);
  await open();
  // The board is open.
  boxOf('b1').subscribe(() => undefined);
  await press(IMPORT);
  await act(async () =>
    answer({ board: { id: 'b1', name: 'Plans' }, added: 2, changed: 1, rowsSkipped: 0, problems: [] }),
  );
  const added = () => screen.queryByText('Added 2 items, changed 1 in Plans');
  expect(added()).not.toBeNull();
  const undo = () => act(async () => boxOf('b1').go('undo'));
  await undo();
  expect(screen.getByText("Couldn't undo")).toBeDefined();
  await undo();
  expect(screen.getByText('Import undone')).toBeDefined();
  expect(added()).toBeNull();
  await undo();
  expect(undoImport).toHaveBeenCalledTimes(2);
});
