import { expect, it } from 'vitest';
import { capitalize, differing } from './capitalize';

it.each([
  ['call anna ', 'Call anna '],
  ['call anna. then bob ', 'Call anna. Then bob '],
  ['call', 'call'],
  ['https://example.com is down ', 'https://example.com is down '],
  ['example.com is down ', 'example.com is down '],
  ['src/main.rs fails ', 'src/main.rs fails '],
  ['~/notes are old ', '~/notes are old '],
  ['iPhone is lost ', 'iPhone is lost '],
  ['eBay, then shop ', 'eBay, then shop '],
  ['buy fruit, e.g. apples ', 'Buy fruit, e.g. apples '],
  ['e.g. apples ', 'e.g. apples '],
  ['wait... then go ', 'Wait... then go '],
  ['really? yes! ok ', 'Really? Yes! Ok '],
  ['(later) call ', '(Later) call '],
  ['über uns ', 'Über uns '],
  ['ship v2.0 today ', 'Ship v2.0 today '],
  ['"quoted words" here ', '"Quoted words" here '],
])('types %j as %j', (typed, shown) => {
  let text = '';
  for (const letter of typed) text = capitalize(text + letter);
  expect(text).toBe(shown);
});

it('leaves what was undone', () => {
  const shown = capitalize('call anna ');
  const kept = new Set(differing('call anna ', shown));
  expect([...kept]).toEqual([0]);
  expect(capitalize('call anna. then ', undefined, kept)).toBe('call anna. Then ');
});

it('changes nothing after the caret', () => {
  expect(capitalize('one. two. three ', 5)).toBe('One. two. three ');
});
