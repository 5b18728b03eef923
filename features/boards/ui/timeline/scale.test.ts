import { describe, expect, it } from 'vitest';
import { dayNumber, dayText, type DaySpan } from '@shell/dates';
import { dragged, draggedByKey, rangeOf, ticksOf, untilSaturday } from './scale';

const day = (text: string) => dayNumber(text)!;
const text = ({ from, to }: DaySpan) => `${dayText(from)} ${dayText(to)}`;
const span = { from: day('2026-03-04'), to: day('2026-03-06') };

describe('the line', () => {
  it('reaches around every item and today, with room to move', () => {
    expect(text(rangeOf([], day('2026-03-15')))).toBe('2026-01-01 2026-05-31');
    expect(text(rangeOf([{ from: day('2025-12-24'), to: day('2026-06-02') }], day('2026-03-15')))).toBe(
      '2025-10-01 2026-08-31',
    );
  });

  it('is not stretched by a wrong year', () => {
    const { from, to } = rangeOf([{ from: day('0201-03-04'), to: day('9999-12-31') }], day('2026-03-15'));
    expect(to - from).toBeLessThan(41 * 366);
  });

  it('has names above its days', () => {
    const range = { from: day('2026-03-30'), to: day('2026-04-08') };
    const days = ticksOf('day', range, 1);
    expect(days.upper.map((tick) => [dayText(tick.from), tick.days])).toEqual([
      ['2026-03-01', 31],
      ['2026-04-01', 30],
    ]);
    expect(days.lower).toHaveLength(10);
    expect(ticksOf('week', range, 1).lower.map((tick) => [dayText(tick.from), tick.text])).toEqual([
      ['2026-03-30', '30'],
      ['2026-04-06', '6'],
    ]);
    const months = ticksOf('month', range, 1);
    expect(months.upper.map((tick) => [dayText(tick.from), tick.days, tick.text])).toEqual([
      ['2026-01-01', 365, '2026'],
    ]);
    expect(months.lower.map((tick) => dayText(tick.from))).toEqual(['2026-03-01', '2026-04-01']);
    expect(untilSaturday(day('2026-03-02'))).toBe(5);
    expect(untilSaturday(day('2026-03-01'))).toBe(6);
  });
});

describe('a bar', () => {
  it('is moved and stretched by pointer, and never turned round', () => {
    expect(text(dragged(span, 'move', day('2026-03-05'), day('2026-03-10')))).toBe('2026-03-09 2026-03-11');
    expect(text(dragged(span, 'end', span.to, day('2026-03-09')))).toBe('2026-03-04 2026-03-09');
    expect(text(dragged(span, 'end', span.to, day('2026-03-01')))).toBe('2026-03-04 2026-03-04');
    expect(text(dragged(span, 'start', span.from, day('2026-03-31')))).toBe('2026-03-06 2026-03-06');
  });

  it('and by keys', () => {
    const by = (key: string, over: { shiftKey?: boolean; ctrlKey?: boolean } = {}, canStretch = true) => {
      const next = draggedByKey(span, { key, shiftKey: false, ctrlKey: false, ...over }, canStretch);
      return next && text(next);
    };
    expect(by('ArrowRight')).toBe('2026-03-05 2026-03-07');
    expect(by('PageUp')).toBe('2026-02-25 2026-02-27');
    expect(by('ArrowRight', { shiftKey: true })).toBe('2026-03-04 2026-03-07');
    expect(by('ArrowLeft', { ctrlKey: true })).toBe('2026-03-03 2026-03-06');
    expect(by('ArrowRight', { shiftKey: true }, false)).toBe('2026-03-05 2026-03-07');
    expect(by('Enter')).toBeUndefined();
  });
});
