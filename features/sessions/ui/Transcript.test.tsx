import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Shown } from './live';
import { Rows } from './transcript';
import { Transcript } from './Transcript';

/** A transcript that is far higher than its window. */
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(5_000);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400);
});
afterEach(() => vi.restoreAllMocks());

/** The first so many rows. */
function rows(count: number) {
  const all = new Rows();
  all.append(
    Array.from({ length: count }, (_, at) => ({
      number: at + 1,
      at: '2026-01-02T03:04:05Z',
      body: { entry: 'note', why: `Note ${at}` },
    })),
  );
  return all.rows;
}

it('counts nothing as new that was there when it was opened in its middle, from the search', () => {
  const place = { at: 10 };
  const shown = (count: number, hasNewer: boolean): Shown => ({
    session: null,
    rows: rows(count),
    last: count,
    ended: 0,
    hasOlder: false,
    hasNewer,
    isRead: true,
    place,
    error: null,
  });
  const cache = new QueryClient({ defaultOptions: { queries: { enabled: false } } });
  const nothing = () => undefined;
  const draw = (count: number, hasNewer: boolean) => (
    <QueryClientProvider client={cache}>
      <Transcript
        session="s"
        shown={shown(count, hasNewer)}
        asks={[]}
        at={10}
        onOlder={nothing}
        onNewer={nothing}
        onJump={nothing}
        onFill={() => Promise.resolve()}
        isFinding={false}
        onFindEnd={nothing}
        onFork={nothing}
      />
    </QueryClientProvider>
  );
  const jump = () => screen.getByRole('button').textContent;
  const { rerender } = render(draw(30, true));
  fireEvent.scroll(screen.getByRole('log'));
  expect(jump()).toBe('Jump to latest');
  // The rest is read as the reader scrolls.
  rerender(draw(45, true));
  expect(jump()).toBe('Jump to latest');
  rerender(draw(60, false));
  expect(jump()).toBe('Jump to latest');
  // What happens from now on is new.
  rerender(draw(62, false));
  expect(jump()).toBe('2 new');
});
