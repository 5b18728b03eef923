import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Point } from './points';
import { BarChart } from './BarChart';
import { cutApart, figures, LETTER_PX, underneath } from './labels';

const teams = Array.from({ length: 37 }, (_, at) => `Team member ${String(at + 1).padStart(2, '0')}`);

it('names that are cut keep what tells them apart', () => {
  expect(cutApart(['Team member 01', 'Team member 02', 'Deck', 'Painting the hull'], 8 * LETTER_PX)).toEqual([
    'Te…01',
    'Te…02',
    'Deck',
    'Paintin…',
  ]);
  for (const letters of [6, 8, 12, 20]) {
    for (const names of [
      teams,
      [...teams, ...teams.map((name) => `${name} of the northern yard`)],
      ['Hull of boat A, north', 'Hull of boat A, south', 'Hull of boat B, north', 'Hull of boat B, south'],
      ['Team member 1', 'Team member 11', 'Team member 111'],
    ]) {
      const short = cutApart(names, letters * LETTER_PX);
      expect(
        short.every((text) => text.length <= letters),
        short.join(),
      ).toBe(true);
      if (letters > 6) expect(new Set(short).size, short.join()).toBe(names.length);
    }
  }
});

it('names stand upright where there is room, and lie aslant where they could not be told apart', () => {
  expect(underneath(['To do', 'Done'], 120, 80)).toMatchObject({
    texts: ['To do', 'Done'],
    isAslant: false,
    height: 22,
  });
  expect(underneath(['Waiting for the answer of the yard', 'Done'], 120, 80)).toMatchObject({ isAslant: false });
  expect(
    underneath(['Waiting for the answer of the yard', 'Waiting for the answer of the owner'], 120, 80).isAslant,
  ).toBe(true);
  const many = underneath(teams, 28, 96);
  expect(many.isAslant).toBe(true);
  expect(new Set(many.texts).size).toBe(37);
  expect(many.height).toBeLessThanOrEqual(96);
});

it('a chart of many columns names each of them, and cuts no figure', () => {
  const points = teams.map((label, at): Point => ({
    key: label,
    label,
    color: null,
    value: at * 1000,
    text: `€${at * 1000}.00`,
    full: `€${at * 1000}.00`,
    items: 1,
  }));
  const { container } = render(
    <BarChart variant="column" points={points} words={{ title: 'Budgets', x: 'Owner', y: 'Sum of Budget' }} />,
  );
  const texts = (name: string) => [...container.querySelectorAll(name)].map((one) => one.textContent);
  expect(new Set(texts('.chart-label')).size).toBe(37);
  expect(texts('.chart-value')).toEqual([]);
});

it('figures are written in short, and all in full where two would read alike', () => {
  const of = (text: string, full: string) => ({ text, full });
  expect(figures([of('2K', '2,001'), of('5K', '5,000'), of('5K', '5,000')])).toEqual(['2K', '5K', '5K']);
  expect(figures([of('2K', '2,001'), of('2K', '2,019'), of('5K', '5,000')])).toEqual(['2,001', '2,019', '5,000']);
  // A stack has no full form of its own: that lists its parts.
  expect(
    figures([
      { ...of('50%', 'A 1, B 1'), parts: [] },
      { ...of('50%', 'A 2, B 2'), parts: [] },
    ]),
  ).toEqual(['50%', '50%']);
});
