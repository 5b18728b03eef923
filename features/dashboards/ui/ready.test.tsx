import { afterEach, expect, it, vi } from 'vitest';
import { dashboardPage, makeReady } from './ready';

const startEngine = vi.hoisted(() => vi.fn());
vi.mock('./engine', () => ({ startEngine }));
vi.mock('./DashboardPage', () => ({ default: () => null }));

afterEach(() => vi.unstubAllGlobals());

it('the page and the engine of dashboards are got when the browser has nothing to do, unless that is left before', async () => {
  const waiting: (() => void)[] = [];
  const left = vi.fn();
  vi.stubGlobal('requestIdleCallback', (run: () => void) => waiting.push(run));
  vi.stubGlobal('cancelIdleCallback', left);
  const load = vi.spyOn(dashboardPage, 'load');
  makeReady(true)!();
  expect(left).toHaveBeenCalledWith(1);
  makeReady(true);
  expect(load).not.toHaveBeenCalled();
  waiting.at(-1)!();
  expect(load).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => expect(startEngine).toHaveBeenCalledTimes(1));
});

it('a browser that does not say when it is idle gets them with the first dashboard', () => {
  vi.stubGlobal('requestIdleCallback', undefined);
  expect(makeReady(true)).toBeUndefined();
});
