import { expect, it } from 'vitest';
import { ago, relative, until } from './Time';

const now = new Date('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

it('never says that something was in the future', () => {
  expect([-3, 0, 27, 4000].map((seconds) => ago(at(seconds), now))).toEqual([
    'just now',
    'just now',
    'just now',
    'just now',
  ]);
  expect(ago(at(-300), now, 'en')).toBe('5 minutes ago');
});

it('says when something is to come', () => {
  expect(relative(at(2 * 86_400), now, 'en')).toBe('in 2 days');
});

it('says in days when a time limit ends', () => {
  const days = (count: number) => until(at(count * 86_400), now, 'en');
  expect([days(30), days(29.99), days(1), days(0.5)]).toEqual(['in 30 days', 'in 30 days', 'in 1 day', 'in 12 hours']);
});
