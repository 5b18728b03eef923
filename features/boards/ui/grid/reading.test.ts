/** Days and numbers as they are typed and pasted: one by one, and as a column that has one order. */
import { expect, it } from 'vitest';
import { readNumber } from '@shell/numbers';
import type { Column } from '../data';
import { parseCell } from './clipboard';
import { readingOf, toldOf } from './reading';

const now = new Date(2026, 10, 22, 12);
const day: Column = { id: 'c1', title: 'Start', type: 'date', settings: {} };
const number: Column = { id: 'c2', title: 'Budget', type: 'number', settings: { currency: 'EUR' } };

/** A pasted column as it is read in a locale, and what is said of it. */
function pasted(column: Column, texts: string[], locale: string) {
  const reading = readingOf(texts, column, { locale, now });
  const values = texts.map((text) => {
    const outcome = parseCell(text, column, [], undefined, reading);
    return 'value' in outcome ? outcome.value : 'refused';
  });
  return [values, toldOf([{ reading, column }])];
}

it('reads a column of days in one order: what one of them can only be, else what is usual here, which is said', () => {
  const open = ['03/04/2026', '05/04/2026', '06/06/2026'];
  expect(pasted(day, open, 'en-GB')).toEqual([
    ['2026-04-03', '2026-04-05', '2026-06-06'],
    ['2 dates were read day first.'],
  ]);
  expect(pasted(day, open, 'en-US')).toEqual([
    ['2026-03-04', '2026-05-04', '2026-06-06'],
    ['2 dates were read month first.'],
  ]);
  const dayFirst = ['03/04/2026', '13/04/2026', '05/04/2026'];
  for (const locale of ['en-GB', 'en-US'])
    expect(pasted(day, dayFirst, locale)).toEqual([['2026-04-03', '2026-04-13', '2026-04-05'], []]);
  expect(pasted(day, ['03/04/2026', '04/13/2026'], 'de-DE')).toEqual([['2026-03-04', '2026-04-13'], []]);
  // Where they contradict each other nothing is guessed from the others.
  expect(pasted(day, ['13/04/2026', '04/13/2026', '03/04/2026'], 'en-US')).toEqual([
    ['refused', '2026-04-13', '2026-03-04'],
    ['1 date was read month first.'],
  ]);
  expect(pasted({ ...day, type: 'timeline' }, ['3/4/2026 to 13/4/2026'], 'en-US')).toEqual([
    [{ from: '2026-04-03', to: '2026-04-13' }],
    [],
  ]);
});

it('reads a column of numbers with one decimal mark', () => {
  for (const locale of ['en-US', 'de-DE'])
    expect(pasted(number, ['1.500,00 €', '2.500', '3,5'], locale)).toEqual([[1500, 2500, 3.5], []]);
  expect(pasted(number, ['1,500.00', '2,500', '7'], 'de-DE')).toEqual([[1500, 2500, 7], []]);
  expect(pasted(number, ['1.234.567', '2.500'], 'en-US')).toEqual([[1_234_567, 2500], []]);
  expect(pasted(number, ['2.500', '7'], 'en-US')).toEqual([[2.5, 7], ['1 number was read with a decimal point.']]);
  expect(pasted(number, ['2.500', '7'], 'de-DE')).toEqual([[2500, 7], ['1 number was read with a decimal comma.']]);
  // What shows its own mark is read by it whatever the others show.
  expect(pasted(number, ['1.500,00', '1,500.00', 'none'], 'en-US')).toEqual([[1500, 1500, 'refused'], []]);
  expect(readNumber('--5')).toBeNull();
});
