import { expect, it } from 'vitest';
import { readTable, ROWS_MAX } from './csv';

it('reads cells with quotes, separators, and line breaks in them', () => {
  const { rows } = readTable('\ufeffName,Note\r\nAda,"says ""hi"", twice"\r\n"two\nlines",\n');
  expect(rows).toEqual([
    ['Name', 'Note'],
    ['Ada', 'says "hi", twice'],
    ['two\nlines', ''],
  ]);
});

it('takes the separator of the first line', () => {
  expect(readTable('a;b,c;d\n1;2;3').rows).toEqual([
    ['a', 'b,c', 'd'],
    ['1', '2', '3'],
  ]);
  expect(readTable('a\tb').rows).toEqual([['a', 'b']]);
});

it('shows the first rows of a long table', () => {
  const { rows, isCut } = readTable('x\n'.repeat(ROWS_MAX + 5));
  expect([rows.length, isCut]).toEqual([ROWS_MAX, true]);
  expect(readTable('x\n'.repeat(ROWS_MAX)).isCut).toBe(false);
});
