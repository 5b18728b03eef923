import { describe, expect, it } from 'vitest';
import type { Column } from './data';
import { fromDraft, show, toDraft } from './format';
import { parseCell, plain } from './grid/clipboard';
import { marksOf, readNumber, writeNumber } from '@shell/numbers';

const budget: Column = { id: 'c1', title: 'Budget', type: 'number', settings: { currency: 'EUR', decimals: 2 } };

describe('a number cell', () => {
  it('takes what it shows, what people type beside it, and what the import reads, pasted or typed', () => {
    const written: [string, number][] = [
      ['1,300.50', 1300.5],
      ['€1,300.50', 1300.5],
      ['-€1,300.50', -1300.5],
      ['€-5', -5],
      ['1.234,56', 1234.56],
      ['1.234,50 €', 1234.5],
      ['1 234 567', 1_234_567],
      ['1 234,5', 1234.5],
      ["1'234.5", 1234.5],
      ['1’234’567', 1_234_567],
      ['12,34,567.5', 1_234_567.5],
      ['12,5', 12.5],
      ['0,125', 0.125],
      ['0.125', 0.125],
      ['.5', 0.5],
      ['(1,050.00)', -1050],
      ['5-', -5],
      ['−7', -7],
      ['+3', 3],
      ['-0', 0],
      ['EUR 20', 20],
      ['20 eur', 20],
      ['45 %', 45],
      ['1e3', 1000],
      ['1.5E+20', 1.5e20],
    ];
    for (const [text, value] of written) {
      expect(fromDraft(text, budget, []), text).toEqual({ value });
      expect(parseCell(text, budget, []), text).toEqual({ value });
    }
    for (const settings of [
      { currency: 'USD' },
      { currency: 'CHF', decimals: 0 },
      { unit: 'kg' },
      { percent: true },
      { unit: 'm²', decimals: 3 },
    ]) {
      const column = { ...budget, settings };
      for (const value of [0, -3, 1234, 1_234_567])
        expect(fromDraft(show(value, column, []), column, []), show(value, column, [])).toEqual({ value });
    }
  });

  it('reads what could be either as the page writes it', () => {
    expect(['1.234', '1,234', '1,234,567', '1.234.567'].map((text) => readNumber(text))).toEqual([
      1.234, 1234, 1_234_567, 1_234_567,
    ]);
    const german = marksOf('de');
    expect(['1.234', '1,234', '1.234.567', '1,234.5'].map((text) => readNumber(text, {}, german))).toEqual([
      1234, 1.234, 1_234_567, 1234.5,
    ]);
  });

  it('refuses what is no number', () => {
    for (const text of [
      '12x',
      'twelve',
      '1.10.123',
      '49 30 123',
      '1,2,3',
      '1.2.3',
      '12,34.5',
      '1,234,5',
      '12 5',
      '--5',
      '(-5)',
      '1€5',
      'e5',
      '€',
      '-',
      '.',
      '0x10',
      'Infinity',
      '5 kg',
    ]) {
      expect(fromDraft(text, budget, []), text).toEqual({ refused: 'Budget accepts a number, such as 12.5.' });
      expect(parseCell(text, budget, []), text).toHaveProperty('refused');
    }
  });

  it('refuses what is longer than any number, whose signs it would take off one by one', () => {
    for (const sign of ['%', '+', '€']) expect(readNumber(`5${sign.repeat(600)}`), sign).toBeNull();
    for (const locale of ['en', 'de', 'hi-IN']) {
      const shown = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(Number.MAX_VALUE);
      expect(readNumber(`(${shown} barrels)`, { currency: 'EUR', unit: 'barrels' }, marksOf(locale)), locale).toBe(
        -Number.MAX_VALUE,
      );
    }
  });

  it('takes what it shows, and what its editor and a copy of it hold, however the page writes numbers', () => {
    for (const locale of ['en', 'de', 'fr', 'de-CH', 'ar-EG', 'fa', 'sv', 'hi-IN', 'pl', 'es']) {
      const marks = marksOf(locale);
      for (const value of [1.234, 1234, -1_234_567.5, 0.5, 1e-7, 1.5e21]) {
        expect(readNumber(writeNumber(value, marks), {}, marks), `${locale} ${value}`).toBe(value);
        const shown = new Intl.NumberFormat(locale, {
          style: 'currency',
          currency: 'EUR',
          maximumFractionDigits: 7,
        }).format(value);
        expect(readNumber(shown, { currency: 'EUR' }, marks), `${locale} ${shown}`).toBe(value);
      }
    }
    expect([toDraft(1234.5, budget, []), plain(1234.5, budget, [])]).toEqual(['1234.5', '1234.5']);
  });
});
