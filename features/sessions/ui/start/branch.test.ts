import { expect, test } from 'vitest';
import { newTail, proposedBranch } from './branch';

test('a branch is named after the first line of the message', () => {
  expect(proposedBranch('\n Fix the Größe of pages!\nand more', 'a1b2')).toBe('pilothouse/fix-the-gro-e-of-pages-a1b2');
  expect(proposedBranch(`${'word '.repeat(20)}`, 'x')).toBe('pilothouse/word-word-word-word-word-word-word-word-x');
  expect(proposedBranch('a'.repeat(60), 'x')).toBe(`pilothouse/${'a'.repeat(40)}-x`);
  expect(proposedBranch('../../--upload-pack=x', 'x')).toBe('pilothouse/upload-pack-x-x');
  expect(proposedBranch('日本', 'x')).toBe('pilothouse/session-x');
  expect(proposedBranch('  ', 'x')).toBe('');
});

test('the tail has four characters of branch names', () => {
  for (let count = 0; count < 50; count += 1) expect(newTail()).toMatch(/^[a-z0-9]{4}$/);
});
