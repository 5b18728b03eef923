import { describe, expect, it } from 'vitest';
import { dayNumber, dayText } from '@shell/dates';
import { dayByKey, pageOn, weeksAround } from './range';

const day = (text: string) => dayNumber(text)!;

describe('what a calendar shows', () => {
  it('is every week that a month has a day in', () => {
    expect(weeksAround(day('2026-03-15'), 'month', 1).map(dayText)).toEqual([
      '2026-02-23',
      '2026-03-02',
      '2026-03-09',
      '2026-03-16',
      '2026-03-23',
      '2026-03-30',
    ]);
    expect(weeksAround(day('2026-02-28'), 'month', 0).map(dayText)).toEqual([
      '2026-02-01',
      '2026-02-08',
      '2026-02-15',
      '2026-02-22',
    ]);
    expect(weeksAround(day('2026-03-15'), 'week', 1).map(dayText)).toEqual(['2026-03-09']);
  });

  it('turns by a month or a week', () => {
    expect(dayText(pageOn(day('2026-01-31'), 'month', 1))).toBe('2026-02-28');
    expect(dayText(pageOn(day('2026-03-15'), 'week', -1))).toBe('2026-03-08');
  });

  it('is walked by keys', () => {
    const from = day('2026-03-04');
    const to = (key: string) => {
      const next = dayByKey(key, from, 1);
      return next === undefined ? undefined : dayText(next);
    };
    expect(
      ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown', 'x'].map(to),
    ).toEqual([
      '2026-03-03',
      '2026-03-05',
      '2026-02-25',
      '2026-03-11',
      '2026-03-02',
      '2026-03-08',
      '2026-02-04',
      '2026-04-04',
      undefined,
    ]);
  });
});
