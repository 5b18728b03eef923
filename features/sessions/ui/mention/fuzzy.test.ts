import { expect, it } from 'vitest';
import { fuzzyMatches } from './fuzzy';

const NAMES = ['deploy-app', 'code-review', 'preview', 'review', 'write-tests'];

it.each([
  ['', NAMES],
  ['review', ['review', 'code-review', 'preview']],
  ['REV', ['review', 'code-review', 'preview']],
  ['da', ['deploy-app']],
  ['cr', ['code-review']],
  ['wt', ['write-tests']],
  ['ver', []],
])('%j matches', (typed, names) => expect(fuzzyMatches(NAMES, typed, (name) => name)).toEqual(names));
