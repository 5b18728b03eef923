import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { makeQueryClient } from '@shell/query';

const told = vi.hoisted(() => ({ progress: (_: { importId: string; rows: number; rowsExpected: number }) => {} }));
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  useLiveEvent: (name: string, handler: typeof told.progress) => {
    if (name === 'import-progress') told.progress = handler;
  },
}));
vi.mock('@shell/workspace', () => ({ useWorkspaces: () => ({ current: { id: 'w1' } }) }));
vi.mock('./data', async (original) => ({ ...(await original<object>()), useBoards: () => ({ data: [], refetch: () => Promise.resolve() }) }));
vi.mock('./import/importing', async (original) => ({ ...(await original<object>()), send: vi.fn(), cancelImport: vi.fn() }));
const { cancelImport, send } = await import('./import/importing');
const { ImportDialog } = await import('./ImportDialog');

const preview = {
  tool: null,
  encoding: 'UTF-8',
  delimiter: ',',
  sheets: [],
  hasHeader: true,
  rowsEstimated: 40,
  misfitRows: 0,
  rowsTaken: 40,
  columns: [{ index: 0, title: 'Name', role: 'name', sample: ['Paint'], notes: [] }],
  problems: [],
  update: null,
};
/** What a request asked, and with what it can be broken off. */
const asked = (at: number) => vi.mocked(send).mock.calls[at]!;
let answer: (imported: unknown) => void;

beforeEach(() => {
  vi.mocked(cancelImport).mockReset();
  vi.mocked(send)
    .mockReset()
    .mockResolvedValueOnce(preview)
    .mockImplementation((_file, _query, signal) => new Promise((resolve, reject) => {
      answer = resolve as typeof answer;
      signal?.addEventListener('abort', () => reject(new DOMException('Ended.', 'AbortError')));
    }));
});

/** Chooses a file and looks at what would become of it. */
async function open() {
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <ImportDialog isOpen onClose={() => undefined} />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  await user.upload(screen.getByLabelText('File to import'), new File(['Name\nPaint\n'], 'ship.csv'));
  await screen.findByRole('button', { name: 'Import 40 rows' });
  return user;
}

it.each([
  [false, 'skip'],
  [true, 'stop'],
])('a row that cannot be read is left out, or nothing is taken, as chosen (%s)', async (nothing, onError) => {
  const user = await open();
  if (nothing) await user.click(screen.getByRole('switch', { name: 'Import nothing when a row cannot be read' }));
  await user.click(screen.getByRole('button', { name: 'Import 40 rows' }));
  expect(asked(1)[1]).toMatchObject({ workspaceId: 'w1', name: 'ship', onError, onMisfit: 'row' });
});

it('the progress is of the rows that are expected, told by its own import alone', async () => {
  const user = await open();
  await user.click(screen.getByRole('button', { name: 'Import 40 rows' }));
  const bar = () => screen.getByRole<HTMLProgressElement>('progressbar', { name: 'Rows imported' });
  expect([bar().value, bar().max]).toEqual([0, 40]);
  const importId = String(asked(1)[1].importId);
  act(() => told.progress({ importId, rows: 1500, rowsExpected: 6000 }));
  expect([bar().value, bar().max]).toEqual([1500, 6000]);
  expect(screen.getByRole('status').textContent).toBe('1,500 of about 6,000 rows');
  act(() => told.progress({ importId: 'another', rows: 1, rowsExpected: 2 }));
  expect([bar().value, bar().max]).toEqual([1500, 6000]);
  await act(async () => answer({ board: { id: 'b1', name: 'ship' }, importId, rowsImported: 38, rowsSkipped: 2, problems: [{ line: 3, code: 'x', detail: 'Too few cells.' }] }));
  expect(screen.getByText('Line 3: Too few cells.')).toBeDefined();
  expect(screen.queryByRole('progressbar')).toBeNull();
});

it('Cancel breaks the sending off, ends the import in the program, and shows what would be imported again', async () => {
  const user = await open();
  await user.click(screen.getByRole('button', { name: 'Import 40 rows' }));
  await user.click(screen.getByRole('button', { name: 'Cancel import' }));
  expect(asked(1)[2]?.aborted).toBe(true);
  expect(cancelImport).toHaveBeenCalledExactlyOnceWith(asked(1)[1].importId);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Import 40 rows' })).toBeDefined());
  expect(screen.queryByRole('alert')).toBeNull();
});
