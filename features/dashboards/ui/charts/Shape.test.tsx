import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Picture, useSize } from './Shape';

/** What the browser would tell of a place, and the frames that it would draw. */
const places = new Map<Element, ResizeObserverCallback>();
const frames: FrameRequestCallback[] = [];
class Observer {
  constructor(private readonly told: ResizeObserverCallback) {}
  observe(place: Element) {
    places.set(place, this.told);
  }
  unobserve() {}
  disconnect() {
    for (const [place, told] of places) if (told === this.told) places.delete(place);
  }
}

const sized = (width: number) =>
  act(() =>
    places.forEach((told, target) =>
      told([{ target, contentRect: { width, height: 100 } } as unknown as ResizeObserverEntry], {} as ResizeObserver),
    ),
  );
const frame = () => act(() => frames.splice(0).forEach((run) => run(0)));
const widths = () => screen.queryAllByRole('img').map((picture) => picture.getAttribute('width'));

function Chart({ title }: { title: string }) {
  const { frame, size } = useSize();
  return <div ref={frame}>{size && <Picture title={title} summary="" {...size} children={null} />}</div>;
}
const charts = (count: number) => Array.from({ length: count }, (_, at) => <Chart key={at} title={`Chart ${at}`} />);

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', Observer);
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => frames.push(run));
});
afterEach(() => {
  // The next test begins with nothing to be drawn.
  while (frames.length > 0) frame();
  vi.unstubAllGlobals();
});

it('draws nothing before the size is known, then each chart once, a few in a frame', () => {
  render(charts(7));
  expect(widths()).toEqual([]);
  sized(200);
  const counts = [widths().length];
  while (frames.length > 0) {
    frame();
    counts.push(widths().length);
  }
  expect(counts).toEqual([3, 6, 7, 7]);
  expect(new Set(widths())).toEqual(new Set(['200']));
});

it('draws what waits as large as its place has become meanwhile, and leaves out what is gone', () => {
  const { rerender } = render(charts(5));
  sized(200);
  sized(300);
  rerender(charts(4));
  while (frames.length > 0) frame();
  expect(widths()).toEqual(['300', '300', '300', '300']);
});
