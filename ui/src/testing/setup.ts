import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

// No test measures time: finding roles in a dialog takes seconds on a busy machine.
configure({ asyncUtilTimeout: 20_000 });

// jsdom measures nothing; React Aria and the virtual list ask.
class NoResizes implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoResizes;
Element.prototype.scrollIntoView ??= () => {};
// Enough for the ids that React Aria makes.
globalThis.CSS ??= {} as typeof CSS;
CSS.escape ??= (text) => text.replace(/[^\w-]/g, (character) => `\\${character}`);
