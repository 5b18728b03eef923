import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ToastRegion } from '@shell/components';
import { cadenceOf, type DripItem, type DripQueue } from './data';
import DripPage from './DripPage';
import { kindOf } from './ItemDialog';
import RowBody from './RowBody';

type Send = (path: string, ...rest: unknown[]) => Promise<unknown>;
const api = { get: vi.fn<Send>(), post: vi.fn<Send>(), patch: vi.fn<Send>(), delete: vi.fn<Send>() };
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: Object.fromEntries(
    (['get', 'post', 'patch', 'delete'] as const).map((method) => [
      method,
      (...args: Parameters<Send>) => api[method](...args),
    ]),
  ),
}));

const AT = '2026-03-01T12:00:00.000Z';
const QUEUE: DripQueue = {
  ...{ id: 'q1', name: 'Reading', on: true, everyHours: 6, at: null, nextAt: '2126-03-01T12:00:00.000Z' },
  ...{ waiting: 2, released: 1, createdAt: AT, changedAt: AT },
};
const item = (id: string, title: string, more: Partial<DripItem> = {}): DripItem => ({
  ...{ id, title, kind: 'markdown', state: 'waiting', content: `**${title}**`, releasedAt: null, createdAt: AT },
  ...more,
});
const ITEMS = [item('i1', 'One'), item('i2', 'Page', { kind: 'html', content: '<p>Hi</p>' })];
let queues: DripQueue[] = [];
let settings: Record<string, unknown> = {};

function draw(content = <DripPage />) {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={cache}>
      {content}
      <ToastRegion />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  for (const send of Object.values(api)) send.mockReset().mockResolvedValue({});
  queues = [QUEUE];
  settings = { dripEnabled: true, dripGlobalPause: false, dripHtmlPreviewEnabled: true };
  api.get.mockImplementation((path) => {
    if (path.startsWith('/settings'))
      return Promise.resolve({
        revision: 1,
        settings: Object.entries(settings).map(([key, value]) => ({ key, value })),
      });
    if (path.endsWith('/items')) return Promise.resolve({ items: ITEMS, nextCursor: null });
    const found = ITEMS.find(({ id }) => path.endsWith(`/items/${id}`));
    if (found) return Promise.resolve(found);
    if (path.includes('/items/')) return Promise.reject(new Error('gone'));
    return Promise.resolve({ items: queues, nextCursor: null });
  });
});

it('names cadences and kinds of files', () => {
  const at = { time: '09:00', date: null, days: ['mon' as const], timeZone: 'Asia/Tokyo' };
  expect([cadenceOf(QUEUE), cadenceOf({ everyHours: null, at })]).toEqual(['Every 6 hours', '09:00, Mon, Asia/Tokyo']);
  expect(['a.HTML', 'b.md', 'c.txt'].map(kindOf)).toEqual(['html', 'markdown', 'text']);
});

it('lists queues with their items, and releases, skips, and moves them', async () => {
  draw();
  const queue = await screen.findByRole('region', { name: 'Reading' });
  expect(queue.textContent).toContain('Every 6 hours, 2 waiting, 1 released');
  await userEvent.click(await within(queue).findByRole('button', { name: 'Release One now' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/drip/q1/release', { itemId: 'i1' }));
  await userEvent.click(within(queue).getByRole('button', { name: 'Release next of Reading' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/drip/q1/release', {}));
  await userEvent.click(within(queue).getByRole('button', { name: 'Skip Page' }));
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/drip/q1/items/i2/skip', { skipped: true }));
  fireEvent.keyDown(within(queue).getByRole('button', { name: 'Skip Page' }), { key: 'ArrowUp', altKey: true });
  await waitFor(() => expect(api.post).toHaveBeenCalledWith('/drip/q1/items/i2/reorder', { before: 'i1' }));
});

it('says that all drips are paused, and what an empty page is for', async () => {
  [queues, settings] = [[], { ...settings, dripGlobalPause: true }];
  draw();
  expect(await screen.findByText('No queues')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toContain('All queues are paused');
});

it('creates a queue', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'New queue' }));
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Tips' } });
  fireEvent.change(screen.getByLabelText('Time zone'), { target: { value: 'UTC' } });
  await userEvent.click(screen.getByRole('checkbox', { name: 'Sunday' }));
  await userEvent.click(screen.getByRole('button', { name: 'Create' }));
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  await waitFor(() =>
    expect(api.post).toHaveBeenCalledWith('/drip', { name: 'Tips', time: '09:00', days, timeZone: 'UTC' }),
  );
});

it('shows HTML in a frame without scripts of its own, and as a chip if the setting is off', async () => {
  draw(<RowBody body="" link="/app/drip?item=q1.i2" isOpen />);
  const frame = await screen.findByTitle('Page');
  // The page in this frame has an empty sandbox around the document, and a policy without network: see its Rust test.
  expect(frame.tagName).toBe('IFRAME');
  expect(frame.getAttribute('sandbox')).toBe('allow-scripts');
  expect(frame.getAttribute('src')).toMatch(/frames\/document\.html$/);
  expect(frame.getAttribute('srcdoc')).toBeNull();
});

it('shows a plain chip without a frame while previews are off', async () => {
  settings = { ...settings, dripHtmlPreviewEnabled: false };
  draw(<RowBody body="" link="/app/drip?item=q1.i2" isOpen />);
  expect(await screen.findByText('HTML: Page')).toBeTruthy();
  expect(document.querySelector('iframe')).toBeNull();
});

it('falls back to the text of the row once the item is gone', async () => {
  draw(<RowBody body="As it was" link="/app/drip?item=q1.gone" isOpen />);
  expect(await screen.findByText('As it was')).toBeTruthy();
});
