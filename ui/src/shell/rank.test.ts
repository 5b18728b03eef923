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
