import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

// No test measures time: finding roles in a dialog takes seconds on a busy machine.
configure({ asyncUtilTimeout: 20_000 });

// jsdom measures nothing; React Aria and the virtual list ask. Only charts need an answer, to be drawn.
class NoResizes implements ResizeObserver {
  constructor(private readonly told: ResizeObserverCallback) {}
  observe(target: Element) {
    if (target.matches('.chart-frame'))
      this.told([{ target, contentRect: { width: 480, height: 240 } } as unknown as ResizeObserverEntry], this);
  }
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoResizes;
Element.prototype.scrollIntoView ??= () => {};
// Enough for the ids that React Aria makes.
globalThis.CSS ??= {} as typeof CSS;
CSS.escape ??= (text) => text.replace(/[^\w-]/g, (character) => `\\${character}`);
