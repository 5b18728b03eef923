import { expect, it } from 'vitest';
import type { Column } from '../data';
import { figureIn } from './totals';

it('a total is shown in full where there is room, else shortened, and never cut', () => {
  const euro: Column = { id: 'c', title: 'Budget', type: 'number', settings: { currency: 'EUR', decimals: 2 } };
  const text = '€299,940,200.00';
  expect([200, 136, 100, 60].map((width) => figureIn(width, 'Sum', text, 299_940_200, euro))).toEqual([
    text,
    '€299.9M',
    '€299.9M',
    '€300M',
  ]);
  expect(figureIn(136, 'Smallest', '€12.50', 12.5, euro)).toBe('€12.50');
  expect(figureIn(96, 'Average', '1,234,567 kg', 1_234_567, { ...euro, settings: { unit: 'kg' } })).toBe('1.2M kg');
});
