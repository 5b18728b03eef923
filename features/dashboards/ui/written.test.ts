import { expect, it } from 'vitest';
import { marks, shortIn, spanNames } from './written';

it('writes the marks of the language and the letters of the engine', () => {
  const german = shortIn('de', { maximumSignificantDigits: 12 });
  expect([1250, 2_500_000, 0.1 + 0.2, -7, 1234e12].map(german)).toEqual(['1,25K', '2,5M', '0,3', '-7', '1234T']);
  expect([1.26e-9, -2.5e300, 1e18].map(german)).toEqual(['1,3e-9', '-2,5e300', '1e18']);
  expect(marks('de')).toEqual({ decimal: ',', group: '.' });
});

it('writes spans of time as days and months are written, and leaves those that have only digits', () => {
  const of = (key: string, label: string) => [{ key, label }];
  expect(spanNames('month', of('2026-11-01', '2026-11'))).toEqual(['Nov 2026']);
  expect(spanNames('week', of('2026-11-02', '2026-11-02'))).toEqual(['Nov 2']);
  expect(spanNames('quarter', of('2026-10-01', '2026 Q4'))).toEqual(['2026 Q4']);
  expect(spanNames('month', of('12026-11-01', '12026-11'))).toEqual(['12026-11']);
});
