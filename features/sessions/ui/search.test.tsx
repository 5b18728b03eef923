import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import type { Hit } from './data';
import ui from './index';
import SearchPage from './SearchPage';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const get = vi.hoisted(() => vi.fn<Send>());
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (...args: Parameters<Send>) => get(...args) },
}));

const hit = (entry: number, more: Partial<Hit> = {}): Hit => ({
  sessionId: 's1',
  title: 'Fix the tests',
  entry,
  at: '2026-01-02T03:04:05Z',
  who: 'agent',
  snippet: `text ${entry}`,
  marks: [],
  ...more,
});
const found = (items: Hit[], more: object = {}) => ({ items, next: null, pending: 0, ...more });

function draw(path = '/sessions/search') {
  const { hook, searchHook, history } = memoryLocation({ path, record: true });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Router hook={hook} searchHook={searchHook}>
        <SearchPage />
      </Router>
    </QueryClientProvider>,
  );
  return history;
}
const asked = () => get.mock.calls.map(([, options]) => (options as { query: Record<string, unknown> }).query);
const field = () => screen.getByRole('searchbox', { name: 'Search transcripts' });

beforeEach(() => void get.mockReset().mockResolvedValue(found([])));

it('has the address before that of a session, and a command', () => {
  const paths = ui.routes.map(({ path }) => path);
  expect(paths.indexOf('/sessions/search')).toBeGreaterThan(-1);
  expect(paths.indexOf('/sessions/search')).toBeLessThan(paths.indexOf('/sessions/:id'));
  expect(ui.commands?.find(({ label }) => label === 'Search transcripts')).toBeTruthy();
});

it('says what can be found before anything is asked for, and asks for nothing where there is no word', async () => {
  draw();
  expect(document.activeElement).toBe(field());
  await userEvent.type(field(), '?! {Enter}');
  expect(screen.getByText('Search all transcripts')).toBeTruthy();
  expect(get).not.toHaveBeenCalled();
});

it('marks the words as they are counted, shows texts as text, and leads to the entry', async () => {
  get.mockResolvedValue(found([hit(7, { snippet: '🙂 a <b>würfel</b>', marks: [[8, 14]] })]));
  draw();
  await userEvent.type(field(), 'würfel{Enter}');
  const link = await screen.findByRole('link', { name: /Fix the tests/ });
  expect(link.getAttribute('href')).toBe('/sessions/s1?at=7');
  expect(link.querySelector('mark')?.textContent).toBe('würfel');
  expect(link.textContent).toContain('🙂 a <b>würfel</b>');
  expect(asked().at(-1)?.q).toBe('würfel');
});

it('is gone through by arrows from the field on', async () => {
  get.mockResolvedValue(found([hit(1), hit(2)]));
  draw('/sessions/search?q=text');
  const links = await screen.findAllByRole('link');
  await userEvent.click(field());
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(document.activeElement).toBe(links[1]);
  await userEvent.keyboard('{ArrowUp}');
  expect(document.activeElement).toBe(links[0]);
});

it('reads further pages, also where the first one has nothing to show', async () => {
  get.mockResolvedValueOnce(found([], { next: 50 })).mockResolvedValue(found([hit(9)]));
  draw('/sessions/search?q=text');
  await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
  expect(await screen.findByRole('link', { name: /text 9/ })).toBeTruthy();
  expect(asked().map(({ skip }) => skip)).toEqual([null, 50]);
  expect(screen.queryByText('No results')).toBeNull();
});

it('says that nothing was found, that more is being read, and takes archived sessions in and the newest first', async () => {
  get.mockResolvedValue(found([], { pending: 2 }));
  const history = draw('/sessions/search?q=text');
  expect(await screen.findByText('No results')).toBeTruthy();
  expect(screen.getByText(/Archived sessions are excluded/)).toBeTruthy();
  expect(screen.getByRole('status').textContent).toContain('2 transcripts are still being indexed');
  await userEvent.click(screen.getByRole('switch', { name: 'Include archived' }));
  await waitFor(() => expect(asked().at(-1)?.archived).toBe(true));
  expect(screen.queryByText(/Archived sessions are excluded/)).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /Order/ }));
  await userEvent.click(await screen.findByRole('option', { name: 'Newest first' }));
  await waitFor(() => expect(asked().at(-1)?.newest).toBe(true));
  expect(history.at(-1)).toBe('/sessions/search?q=text&by=newest&archived=');
});

it('says that it could not be searched, and tries again', async () => {
  get.mockRejectedValueOnce(new Error('no')).mockResolvedValue(found([hit(3)]));
  draw('/sessions/search?q=text');
  await userEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: /text 3/ })).toBeTruthy();
});
