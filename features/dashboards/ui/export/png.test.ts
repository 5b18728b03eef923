import { expect, it } from 'vitest';
import { fileName, scaleOf } from './png';

it('a picture is twice as large, and no side is longer than browsers draw', () => {
  expect(scaleOf(1200, 800)).toBe(2);
  expect(scaleOf(1200, 16_384) * 16_384).toBe(16_384);
  expect(Math.round(scaleOf(1200, 40_000) * 40_000)).toBe(16_384);
});

it('a file is called as the dashboard, as far as systems take it', () => {
  expect(fileName('Team / Q1: "what?"', 'png')).toBe('Team   Q1   what.png');
  expect(fileName('Ends in a dot.', 'png')).toBe('Ends in a dot.png');
  expect(fileName('///', 'png')).toBe('dashboard.png');
});
