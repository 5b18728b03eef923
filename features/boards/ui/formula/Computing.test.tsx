import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Column } from '../data';
import type { BoardTable } from '../table';
import { FollowComputing, HeadProgress } from './Computing';
import { NoResult } from './NoResult';

const get = vi.fn<(path: string) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (path: string) => get(path) },
}));

const total: Column = { id: 'c5', title: 'Total', type: 'formula', settings: { formula: '1', result: 'number' } };
const price: Column = { id: 'c1', title: 'Price', type: 'number', settings: {} };
const table = (revision: number, news: number, columns = [price, total]) =>
  ({ meta: { board: { id: 'b1', revision }, columns }, news }) as unknown as BoardTable;
const client = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });
const page = (held: BoardTable, cache: QueryClient) => (
  <QueryClientProvider client={cache}>
    <FollowComputing table={held}>
      {held.meta.columns.map((column) => (
        <HeadProgress key={column.id} column={column} />
      ))}
      <NoResult board="b1" item="i1" column={total} isHere />
    </FollowComputing>
  </QueryClientProvider>
);

beforeEach(() => void get.mockReset());

it('says how far formulas are, until all is there, and takes no cell for a fault meanwhile', async () => {
  get.mockResolvedValue({ items: [], computing: { done: 2000, total: 12000 } });
  const cache = client();
  const { rerender } = render(page(table(1, 12000), cache));
  const bar = await screen.findByRole('progressbar', { name: 'Computing Total' });
  expect(bar.getAttribute('aria-valuetext')).toBe('2,000 of 12,000 items');
  expect(screen.getAllByRole('progressbar')).toHaveLength(1);
  expect(screen.getByText('Computing')).toBeTruthy();
  expect(screen.queryByRole('status')).toBeNull();
  get.mockImplementation((path) =>
    Promise.resolve(
      path.endsWith('preview') ? { items: [{ reason: '“Price” is empty.' }] } : { items: [], computing: null },
    ),
  );
  rerender(page(table(2, 12000), cache));
  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
  expect(await screen.findByText('“Price” is empty.')).toBeTruthy();
});

const asked = () => get.mock.calls.filter(([path]) => path === '/boards/b1/formulas').length;

it('says it of a small board as well, which may count a large one', async () => {
  get.mockResolvedValue({ items: [], computing: { done: 1, total: 3 } });
  render(page(table(1, 3), client()));
  expect(await screen.findByRole('progressbar', { name: 'Computing Total' })).toBeTruthy();
});

it('asks when a board is opened and after what may compute it again, not after each edit of a cell', async () => {
  get.mockResolvedValue({ items: [], computing: null });
  const cache = client();
  const { rerender } = render(page(table(1, 12000), cache));
  await waitFor(() => expect(asked()).toBe(1));
  for (let revision = 2; revision < 20; revision++) {
    rerender(page(table(revision, 1), cache));
    await act(() => cache.invalidateQueries({ queryKey: ['boards'] }));
  }
  expect(asked()).toBe(1);
  rerender(page(table(20, 2000), cache));
  await waitFor(() => expect(asked()).toBe(2));
  const other = { ...total, settings: { ...total.settings, formula: '2' } };
  rerender(page(table(21, 0, [price, other]), cache));
  await waitFor(() => expect(asked()).toBe(3));
});

it('asks nothing of boards without formulas', () => {
  get.mockResolvedValue({ items: [] });
  render(page(table(1, 12000, [price]), client()));
  expect(asked()).toBe(0);
});
