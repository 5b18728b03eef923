import { expect, it, vi } from 'vitest';
import { dayName, dayNames, marks, shortIn, spanNames } from './written';

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

it('writes whatever a day may be, and leaves what is none as it is', () => {
  const years = [
    '-271821',
    '-000001',
    '0000',
    '0050',
    '2026',
    '9999',
    '10000',
    '+010000',
    '+275760',
    '+275761',
    '99999999',
  ];
  const days = years.flatMap((year) => ['01-01', '02-30', '12-31', '13-01', '00-00'].map((rest) => `${year}-${rest}`));
  for (const one of [...days, '', '-', 'soon', '2026', '2026-03-04T05:06', 'NaN', '∞']) {
    for (const written of [dayName(one), ...dayNames([one]), ...dayNames([one, '2026-03-04'])])
      expect(written).not.toMatch(/invalid|NaN-/i);
    if (Number.isNaN(Date.parse(`${one}T00:00:00Z`)))
      expect([dayName(one), dayNames([one, '2026-03-04'])[0]]).toEqual([one, one]);
  }
  expect(dayName('10000-01-01')).toBe('10000-01-01');
  expect(dayNames(['2026-03-04', '2027-03-04']).map((one) => /202\d/.test(one))).toEqual([true, true]);
});

it('writes spans of time as days and months are written, and leaves those that have only digits', () => {
  const of = (key: string, label: string) => [{ key, label }];
  expect(spanNames('month', of('2026-11-01', '2026-11'))).toEqual(['Nov 2026']);
  expect(spanNames('week', of('2026-11-02', '2026-11-02'))).toEqual(['Nov 2']);
  expect(spanNames('quarter', of('2026-10-01', '2026 Q4'))).toEqual(['2026 Q4']);
  expect(spanNames('month', of('12026-11-01', '12026-11'))).toEqual(['12026-11']);
});
