import { expect, it } from 'vitest';
import { money, type UsageRow } from './data';
import { linesOf } from './UsagePage';

const row = (more: Partial<UsageRow>): UsageRow => ({
  day: '2026-03-01',
  purpose: 'session',
  purposeLabel: 'Sessions',
  hubId: null,
  hubName: null,
  sessionId: null,
  sessionTitle: null,
  provider: 'claude',
  model: null,
  calls: 1,
  unknown: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  currency: 'USD',
  amount: 1,
  basis: 'reported',
  priceDate: null,
  ...more,
});

it('adds up what was paid and what a subscription covered, the largest first', () => {
  const lines = linesOf(
    [
      row({ amount: 1 }),
      row({ purposeLabel: 'Session titles', amount: 3 }),
      row({ amount: 0.5 }),
      row({ amount: 7, basis: 'subscription' }),
    ],
    ({ purposeLabel }) => purposeLabel,
    'USD',
    true,
  );
  expect(lines.map(({ label, values }) => [label, values[0]!.text, values[1]!.text])).toEqual([
    ['Sessions', '$1.50', '$7.00'],
    ['Session titles', '$3.00', '$0.00'],
  ]);
});

it('never shows an unknown price as 0', () => {
  const unpriced = row({ amount: null, basis: 'unpriced' });
  const text = (rows: UsageRow[]) => linesOf(rows, () => 'all', 'USD', true)[0]!.values[0]!.text;
  expect(text([unpriced])).toBe('Unpriced');
  expect(text([unpriced, row({ amount: 2 })])).toBe('$2.00 and unpriced');
});

it('sums what is beyond the largest lines', () => {
  const rows = Array.from({ length: 20 }, (_, at) => row({ sessionTitle: `s${at}`, amount: at + 1 }));
  const lines = linesOf(rows, ({ sessionTitle }) => sessionTitle ?? '', 'USD', true);
  expect(lines).toHaveLength(13);
  expect(lines[0]!.label).toBe('s19');
  expect(lines[12]!.label).toBe('8 more');
  expect(lines[12]!.values[0]!.amount).toBe(36);
});

it('shows small amounts exactly', () => {
  expect(money(0.00015, 'USD')).toBe('$0.00015');
  expect(money(1.5, 'USD')).toBe('$1.50');
  expect(money(0, 'USD')).toBe('$0.00');
});
