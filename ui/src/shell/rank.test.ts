import { expect, it } from 'vitest';
import type { Command } from '../feature';
import { MOST_RESULTS, rank } from './rank';

const command = (label: string, more: Partial<Command> = {}): Command => ({
  id: label,
  label,
  group: 'Settings',
  run: () => {},
  ...more,
});
const labels = (query: string, ...commands: Command[]) => rank(commands, query).map((c) => c.label);

it('needs every word, somewhere', () => {
  expect(
    labels('cap cpu', command('CPU cap'), command('Spend cap'), command('Cap', { keywords: 'sessionCpuCapPercent' })),
  ).toEqual(['CPU cap', 'Cap']);
  expect(labels('zebra', command('CPU cap'))).toEqual([]);
});

it('puts the beginning of the name first, then of a word, then the rest', () => {
  expect(
    labels(
      'mail',
      command('Email cleanup'),
      command('Web mail'),
      command('Other', { detail: 'mail' }),
      command('Mail client'),
    ),
  ).toEqual(['Mail client', 'Web mail', 'Email cleanup', 'Other']);
});

it('keeps the given order without a query, and shows no more than can be looked at', () => {
  const many = Array.from({ length: 300 }, (_, i) => command(`Setting ${i}`));
  expect(rank(many, '')).toHaveLength(MOST_RESULTS);
  expect(rank(many, ' ')[0]?.label).toBe('Setting 0');
});

it('puts commands before settings, and what was chosen last before both, among equal matches', () => {
  const commands = [
    command('Theme of charts', { isLast: true }),
    command('Theme of boards', { isLast: true }),
    command('Theme switch'),
    command('Theme editor'),
  ];
  const order = rank(commands, 'theme', { recent: ['Theme of boards'] }).map((c) => c.label);
  expect(order).toEqual(['Theme of boards', 'Theme switch', 'Theme editor', 'Theme of charts']);
  // A better match comes first all the same.
  const better = [...commands, command('Dark theme')];
  expect(rank(better, 'theme', { recent: ['Dark theme'] }).at(-1)?.label).toBe('Dark theme');
});

it("leaves room for the server's results, and lists none of them twice", () => {
  const many = Array.from({ length: 300 }, (_, i) => command(`Session setting ${i}`));
  const found = [command('My session'), command('Session setting 3'), command('Other')];
  const ranked = rank(many, 'session', { found });
  expect(ranked).toHaveLength(MOST_RESULTS + 1);
  expect(ranked.at(-1)?.label).toBe('My session');
});
