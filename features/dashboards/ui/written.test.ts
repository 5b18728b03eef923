import { expect, it, vi } from 'vitest';
import { dayName, marks, shortIn } from './written';

it('writes the marks of the language and the letters of the engine', () => {
  const german = shortIn('de', { maximumSignificantDigits: 12 });
  expect([1250, 2_500_000, 0.1 + 0.2, -7, 1234e12].map(german)).toEqual(['1,25K', '2,5M', '0,3', '-7', '1234T']);
  expect([1.26e-9, -2.5e300, 1e18].map(german)).toEqual(['1,3e-9', '-2,5e300', '1e18']);
  expect(marks('de')).toEqual({ decimal: ',', group: '.' });
});

it('makes no format for each of many days', () => {
  const slow = vi.spyOn(Date.prototype, 'toLocaleDateString');
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  expect(dayName('2026-03-04')).toMatch(/4/);
  expect([slow.mock.calls.length, made.mock.calls.length]).toEqual([0, 0]);
  vi.restoreAllMocks();
});
