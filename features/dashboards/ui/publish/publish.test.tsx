import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Saved } from '../draft/draft';
import dashboards from '../index';
import { PublishDialog } from './PublishDialog';

const get = vi.fn<(path: string, options?: { query?: Record<string, unknown> }) => Promise<unknown>>();
const post = vi.fn<(path: string, body: unknown) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: {
    get: (...args: Parameters<typeof get>) => get(...args),
    post: (...args: Parameters<typeof post>) => post(...args),
  },
}));

const HTML =
  '<!doctype html><head><style>.tile{color:red}</style></head><body><main><div class="page"><h1>Team</h1></div></main></body>';
const unpublished = {
  published: false,
  address: null,
  publishedAt: null,
  expiresAt: null,
  names: false,
  texts: false,
  restored: false,
  digest: null,
};
const published = {
  ...unpublished,
  published: true,
  address: 'http://127.0.0.1:19520/p/0f',
  publishedAt: '2026-03-01T12:00:00Z',
  digest: 'a',
};
const preview = {
  document: { title: 'Team', widgets: [{}, {}] },
  digest: 'a',
  boardsMissing: 1,
  leftOut: [{ title: 'Rows', why: 'shows-items' }],
  holds: ['board-names', 'item-names', 'people-names'],
  html: HTML,
};

function draw(kept: Saved = { kind: 'saved' }) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const what = (saved: Saved) => (
    <QueryClientProvider client={client}>
      <PublishDialog id="d" name="Team" saved={saved} onClose={() => {}} />
    </QueryClientProvider>
  );
  const { rerender } = render(what(kept));
  return {
    save: () => rerender(what({ kind: 'saved' })),
    tell: () =>
      act(() =>
        client.invalidateQueries({
          queryKey: dashboards.news!['dashboard-publication-changed']!({ dashboardId: 'd' })[0],
        }),
      ),
  };
}

const answer = (now: unknown) =>
  get.mockImplementation((path) => Promise.resolve(path.endsWith('/preview') ? preview : now));
const previews = () => get.mock.calls.flatMap(([path, options]) => (path.endsWith('/preview') ? [options?.query] : []));
const [NEITHER, NAMES, TEXTS] = [
  { names: false, texts: false },
  { names: true, texts: false },
  { names: false, texts: true },
];

beforeEach(() => {
  get.mockReset();
  post.mockReset();
  // The document of the tests has no style sheets that are made by script.
  vi.stubGlobal(
    'CSSStyleSheet',
    class {
      replaceSync() {}
    },
  );
});

it('shows what leaves and what stays, and publishes what was seen', async () => {
  answer(unpublished);
  post.mockResolvedValue(published);
  draw();
  expect(
    await screen.findByText(
      /the title and 2 widgets with numbers and board names\. Items and cell text are shown as numbers\. People are shown as numbers\. No other boards/,
    ),
  ).toBeTruthy();
  expect(screen.getByText("Rows isn't published: it shows individual items.")).toBeTruthy();
  expect(screen.getByText('1 connected board is missing, and the page says so.')).toBeTruthy();
  const page = screen.getByRole('region', { name: 'Preview of the published page' });
  expect(page.firstElementChild?.shadowRoot?.querySelector('h1')?.textContent).toBe('Team');
  await userEvent.click(screen.getByRole('button', { name: 'Publish' }));
  expect(post.mock.calls).toEqual([['/dashboards/d/publication', { names: false, texts: false, digest: 'a' }]]);
  expect(await screen.findByText(/No changes since/)).toBeTruthy();
  expect(screen.getByRole('link', { name: published.address })).toBeTruthy();
});

it('says why what was published unpublished', async () => {
  const past = { ...published, published: false, address: null };
  answer(past);
  draw();
  expect(await screen.findByText(/The publication expired, and its address no longer works/)).toBeTruthy();
  cleanup();
  answer({ ...past, restored: true });
  draw();
  expect(await screen.findByText(/Unpublished when the database was restored from a backup/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Publish' })).toBeTruthy();
});

it('asks for another preview where people are to be named', async () => {
  answer(unpublished);
  draw();
  await userEvent.click(await screen.findByRole('checkbox', { name: "Show people's names" }));
  expect(
    await screen.findByText(
      /board names, and people's names\. Items and cell text are shown as numbers\. No other boards/,
    ),
  ).toBeTruthy();
  expect(previews()).toEqual([NEITHER, NAMES]);
});

it('asks for another preview where item names and cell text are to leave, and publishes them', async () => {
  answer(unpublished);
  post.mockResolvedValue({ ...published, texts: true });
  draw();
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Show item names and cell text' }));
  expect(
    await screen.findByText(/board names, and item names\. People are shown as numbers\. No other boards/),
  ).toBeTruthy();
  expect(previews()).toEqual([NEITHER, TEXTS]);
  await userEvent.click(screen.getByRole('button', { name: 'Publish' }));
  expect(post.mock.calls).toEqual([['/dashboards/d/publication', { ...TEXTS, digest: 'a' }]]);
});

it('previews what is saved, and nothing before', async () => {
  answer({ ...published, digest: 'older' });
  const { save } = draw({ kind: 'saving' });
  await screen.findByRole('button', { name: 'Unpublish' });
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Publish again' }).disabled).toBe(true);
  expect(previews()).toEqual([]);
  save();
  expect(await screen.findByText(/The results have changed since/)).toBeTruthy();
  expect(previews()).toEqual([NEITHER]);
});

it('says that nobody can read it where nothing listens', async () => {
  answer({ ...published, address: null, problem: 'Port 19520 is taken by other (process 7).' });
  draw();
  expect((await screen.findByRole('alert')).textContent).toBe(
    "Can't be read now: Port 19520 is taken by other (process 7).",
  );
});

it('counts what is kept in a conflict as saved', async () => {
  answer(unpublished);
  draw({ kind: 'conflict', clashes: [] });
  expect(await screen.findByText(/the title and 2 widgets/)).toBeTruthy();
});

it('says what is missing where waiting for it does not help', async () => {
  answer(unpublished);
  const { save } = draw({ kind: 'refused', reason: 'Too large.' });
  expect((await screen.findByRole('alert')).textContent).toBe('Not saved: Too large.');
  expect(screen.queryByText('Loading preview')).toBeNull();
  save();
  expect(await screen.findByText(/the title and 2 widgets/)).toBeTruthy();
});

it('notices that another window published or revoked', async () => {
  answer(unpublished);
  const { tell } = draw();
  await screen.findByText('Not published.');
  answer(published);
  await tell();
  expect(await screen.findByRole('link', { name: published.address })).toBeTruthy();
  answer(unpublished);
  await tell();
  expect(await screen.findByText('Not published.')).toBeTruthy();
  // The preview is of the dashboard, not of what is published of it.
  expect(previews()).toEqual([NEITHER]);
});

it('looks by itself only for an end, and for a port that cannot be opened', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const asked = () => get.mock.calls.filter(([path]) => path.endsWith('/publication')).length;
  answer({ ...published, address: null, problem: 'Port 19520 is taken.' });
  draw();
  await screen.findByRole('alert');
  answer({ ...published, expiresAt: new Date(Date.now() + 60_000).toISOString() });
  await act(() => vi.advanceTimersByTimeAsync(6_000));
  await screen.findByRole('link', { name: published.address });
  const before = asked();
  await act(() => vi.advanceTimersByTimeAsync(50_000));
  expect(asked()).toBe(before);
  answer({ ...published, published: false, address: null });
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(await screen.findByText(/The publication expired, and its address no longer works/)).toBeTruthy();
  const last = asked();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(asked()).toBe(last);
  vi.useRealTimers();
});
