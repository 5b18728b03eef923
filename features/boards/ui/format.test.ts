import { expect, test } from 'vitest';
import type { CellValue, Column } from './data';
import { fromDraft, show, showFull, toDraft } from './format';

const column = (type: Column['type'], settings: Column['settings'] = {}): Column => ({
  id: 'c1',
  title: 'Column',
  type,
  settings,
});
const members = [
  { id: 'm1', name: 'Ada' },
  { id: 'm2', name: 'Grace' },
];

test.each<[CellValue, Column, string]>([
  [null, column('text'), ''],
  ['Plain', column('text'), 'Plain'],
  [1234.5, column('number', { decimals: 2 }), '1,234.50'],
  [12, column('number', { currency: 'USD', decimals: 0 }), '$12'],
  [40, column('progress'), '40%'],
  ['l1', column('status', { labels: [{ id: 'l1', text: 'Done', color: '#4a7fd4', done: false }] }), 'Done'],
  ['gone', column('status', { labels: [] }), ''],
  [['m2', 'm1'], column('people'), 'Grace, Ada'],
  [['ui', 'api'], column('tags'), 'ui, api'],
  ['2026-03-01', column('date'), 'Mar 1, 2026'],
  [{ from: '2026-01-05', to: '2026-01-16' }, column('timeline'), 'Jan 5 – 16, 2026'],
  [true, column('checkbox'), 'Yes'],
])('%j reads as it should', (value, spec, text) => {
  expect(show(value, spec, members)).toBe(text);
});

test.each<[number, Column, string, string]>([
  [0.75, column('number', { decimals: 1 }), '0.8', '0.75'],
  [12, column('number', { decimals: 1 }), '12.0', '12.0'],
  [1234.5678, column('number', { decimals: 0, unit: 'h' }), '1,235 h', '1,234.5678 h'],
  [1.005, column('number', { currency: 'USD' }), '$1.01', '$1.005'],
  [0.1 + 0.2, column('number'), '0.3', '0.3'],
  [4.35 * 100, column('number'), '435', '435'],
  [1234.1 * 3, column('number', { decimals: 2 }), '3,702.30', '3,702.30'],
  [Number.MAX_SAFE_INTEGER, column('number'), '9,007,199,254,740,991', '9,007,199,254,740,991'],
  [1e-7, column('number'), '0', '0.0000001'],
  [33.333, column('progress', { decimals: 0 }), '33%', '33.333%'],
])(
  '%d is rounded to its column, written in full where there is room and exact in the editor',
  (value, spec, text, full) => {
    expect(show(value, spec, members)).toBe(text);
    expect(showFull(value, spec, members)).toBe(full);
    expect(fromDraft(toDraft(value, spec, members), spec, members)).toEqual({ value });
  },
);

test.each<[string, Column, CellValue]>([
  ['', column('number'), null],
  [' 12.5 ', column('number'), 12.5],
  ['Ada, grace', column('people'), ['m1', 'm2']],
  ['a, b,, a', column('tags'), ['a', 'b']],
  ['100', column('progress'), 100],
  ['7', column('rating', { max: 7 }), 7],
  ['+49 30 12', column('phone'), '+49 30 12'],
  ['a@b.example', column('email'), 'a@b.example'],
  ['https://a.example/b', column('link'), 'https://a.example/b'],
  [' example.org ', column('link'), 'https://example.org'],
  ['münchen.example:8080/a?b#c', column('link'), 'https://münchen.example:8080/a?b#c'],
  ['mailto:a@b.example', column('link'), 'mailto:a@b.example'],
  ['  kept as typed ', column('text'), '  kept as typed '],
])('%j is taken', (draft, spec, value) => {
  expect(fromDraft(draft, spec, members)).toEqual({ value });
});

test('what cannot be taken says why', () => {
  expect(fromDraft('twelve', column('number'), members)).toEqual({ refused: 'Column accepts a number, such as 12.5.' });
  expect(fromDraft('Ada, Eve', column('people'), members)).toMatchObject({
    refused: expect.stringContaining('Eve') as string,
  });
});

test('members of one name are told apart by their address, or by the end of their id', () => {
  const alike = [
    { id: 'm0001', name: 'Ann Lee', email: 'ann@a.example' },
    { id: 'm0002', name: 'ann lee', email: '' },
    { id: 'm0003', name: 'Ann Lee', email: 'shared@a.example' },
    { id: 'm0004', name: 'Ann Lee', email: 'shared@a.example' },
    { id: 'm0005', name: 'Bo', email: 'bo@a.example' },
  ];
  const people = alike.map(({ id }) => id);
  const text = 'Ann Lee (ann@a.example), ann lee (…0002), Ann Lee (…0003), Ann Lee (…0004), Bo';
  expect(show(people, column('people'), alike)).toBe(text);
  expect(show('m0003', column('createdBy'), alike)).toBe('Ann Lee (…0003)');
  expect(fromDraft(text, column('people'), alike)).toEqual({ value: people });
  expect(fromDraft('ann lee, bo', column('people'), alike)).toEqual({
    refused: '4 members are named ann lee. Enter one in full, such as Ann Lee (ann@a.example).',
  });
});

test('an editor begins with what it would save', () => {
  for (const [value, spec] of [
    [['m1', 'm2'], column('people')],
    [['x', 'y'], column('tags')],
    [12.25, column('number')],
    ['text', column('text')],
  ] as [CellValue, Column][]) {
    expect(fromDraft(toDraft(value, spec, members), spec, members)).toEqual({ value });
  }
});

test.each<[string, Column, string]>([
  ['150', column('progress'), 'Column accepts a number from 0 to 100.'],
  ['-1', column('progress'), 'Column accepts a number from 0 to 100.'],
  ['6', column('rating'), 'Column accepts a whole number from 0 to 5.'],
  ['2.5', column('rating', { max: 7 }), 'Column accepts a whole number from 0 to 7.'],
  ['a page', column('link'), 'Column accepts a URL that starts with http://, https://, or mailto:.'],
  ['javascript:alert(1)', column('link'), 'Column accepts a URL that starts with http://, https://, or mailto:.'],
  ['a@b', column('email'), 'Column accepts an email address.'],
  ['12', column('phone'), 'Column accepts a phone number.'],
  ['x'.repeat(20_001), column('text'), 'Column accepts text of up to 20,000 characters.'],
  [`ok, ${'x'.repeat(256)}`, column('tags'), 'Column accepts up to 100 tags of up to 255 characters.'],
  ['x'.repeat(256), { ...column('text'), id: 'name' }, 'A name can have up to 255 characters.'],
])('%.12j is no value of the column', (draft, spec, refused) => {
  expect(fromDraft(draft, spec, members)).toEqual({ refused });
});
