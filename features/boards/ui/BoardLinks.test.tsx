/** The navigation reads the boards again only where one of them came, went or is called otherwise. */
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followNews } from '@shell/news';
import { makeQueryClient } from '@shell/query';
import ui from './index';
import { BoardLinks, useNameShown } from './BoardLinks';

const live = vi.hoisted(() => new Map<string, Set<(ids: object) => void>>());
vi.mock('@shell/live', async (original) => ({
  ...(await original<object>()),
  onEvent: (name: string, handler: (ids: object) => void) => {
    live.set(name, (live.get(name) ?? new Set()).add(handler));
    return () => live.get(name)?.delete(handler);
  },
}));
const get = vi.fn<(path: string) => Promise<unknown>>();
vi.mock('@shell/api', async (original) => ({
  ...(await original<object>()),
  api: { get: (path: string) => get(path) },
}));
vi.mock('@shell/workspace', () => ({ useWorkspaces: () => ({ current: { id: 'w' } }) }));

let boards: { id: string; name: string }[];
let stop = () => {};
const asked = () => get.mock.calls.map(([path]) => path);
const tell = (name: string, boardId: string) =>
  act(async () => {
    live.get(name)?.forEach((handler) => handler({ boardId }));
    await vi.advanceTimersByTimeAsync(5000);
  });
const names = () => screen.getAllByRole('link').map((link) => link.textContent);

function Shown({ open }: { open?: { id: string; name: string } }) {
  useNameShown(open);
  return <BoardLinks />;
}
async function draw(open?: { id: string; name: string }) {
  const cache = makeQueryClient();
  stop = followNews(cache, [ui]);
  const inside = (now?: { id: string; name: string }) => (
    <QueryClientProvider client={cache}>
      <Shown open={now} />
    </QueryClientProvider>
  );
  const drawn = render(inside(open));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(asked()).toEqual(['/boards']);
  get.mockClear();
  return (now?: { id: string; name: string }) => drawn.rerender(inside(now));
}

beforeEach(() => {
  vi.useFakeTimers();
  boards = [
    { id: 'a', name: 'One' },
    { id: 'b', name: 'Two' },
  ];
  get
    .mockReset()
    .mockImplementation((path) =>
      Promise.resolve(
        path === '/boards'
          ? { items: boards.map((board) => ({ ...board })) }
          : boards.find(({ id }) => path === `/boards/${id}`),
      ),
    );
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  history.replaceState(null, '', '/');
});

it('asks after a change what that board is called, and shows it', async () => {
  await draw();
  boards[1]!.name = 'Deux';
  await tell('board-changed', 'b');
  expect(asked()).toEqual(['/boards/b']);
  expect(names()).toEqual(['One', 'Deux']);
});

it('asks nothing about the board that is open: its page knows', async () => {
  history.replaceState(null, '', '/boards/a');
  const redraw = await draw({ id: 'a', name: 'One' });
  await tell('board-changed', 'a');
  redraw({ id: 'a', name: 'Uno' });
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(asked()).toEqual([]);
  expect(names()).toEqual(['Uno', 'Two']);
});

it('reads the list for a board that came, went, or came back, and once for one of another workspace', async () => {
  await draw();
  boards.push({ id: 'c', name: 'Three' });
  await tell('board-changed', 'c');
  await tell('board-changed', 'elsewhere');
  await tell('board-changed', 'elsewhere');
  expect(asked()).toEqual(['/boards', '/boards']);
  boards.pop();
  await tell('board-deleted', 'c');
  expect(names()).toEqual(['One', 'Two']);
  boards.push({ id: 'c', name: 'Three' });
  await tell('board-changed', 'c');
  expect(names()).toEqual(['One', 'Two', 'Three']);
});
