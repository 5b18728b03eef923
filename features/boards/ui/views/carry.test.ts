/** Carrying: the same steps from the pointer and from the keyboard. */
import { act, renderHook } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { carry, hasMoved, saying, useCarry, type Carried, type CarryStep } from './carry';

const steps = (...all: CarryStep<string>[]) => all.reduce<Carried<string> | null>(carry, null);
const lift: CarryStep<string> = { step: 'lift', item: 'i1', name: 'Sails', at: 'a', byKey: true };
const names = (place: string) => place.toUpperCase();

describe('carrying', () => {
  it('goes from where it was lifted to where it is over', () => {
    const carried = steps(lift, { step: 'over', place: 'b' }, { step: 'over', place: 'c' });
    expect(carried).toEqual({ item: 'i1', name: 'Sails', from: 'a', to: 'c', byKey: true });
    expect(hasMoved(carried!)).toBe(true);
    expect(hasMoved(carry(carried, { step: 'over', place: 'a' })!)).toBe(false);
    // Another number of a place that is the same.
    const [from, to] = [
      { before: 'x', above: 1 },
      { before: 'x', above: 2 },
    ];
    const card = { item: 'i1', name: 'Sails', from, to, byKey: true };
    expect([hasMoved(card), hasMoved(card, ({ before }) => before)]).toEqual([true, false]);
    expect(
      saying(
        card,
        { step: 'drop' },
        ({ before }) => before,
        '',
        ({ before }) => before,
      ),
    ).toBe('Sails stays in x.');
  });

  it('ends, and is over nothing while nothing is carried', () => {
    expect(steps(lift, { step: 'end' })).toBeNull();
    expect(steps(lift, { step: 'gone' })).toBeNull();
    expect(steps({ step: 'over', place: 'b' })).toBeNull();
  });

  it('stays the same object over the same place, so that nothing is drawn anew', () => {
    const span = carry(null, { step: 'lift', item: 'i1', name: 'Sails', at: { from: 1, to: 2 }, byKey: false });
    expect(carry(span, { step: 'over', place: { from: 1, to: 2 } })).toBe(span);
  });

  it('lets go of what is not in the view any more', () => {
    const [onGone, onDrop] = [vi.fn(), vi.fn()];
    let isHere = true;
    const { result, rerender } = renderHook(() =>
      useCarry<string>({ placeName: names, isHere: () => isHere, onGone, onDrop }),
    );
    act(() => result.current.lift('i1', 'Sails', 'a', true));
    act(() => result.current.over('b'));
    isHere = false;
    rerender();
    expect([result.current.carried, result.current.said]).toEqual([null, 'Sails is no longer in this view.']);
    expect([onGone.mock.calls.length, onDrop.mock.calls.length]).toEqual([1, 0]);
  });

  it('says each step', () => {
    expect(saying(null, lift, names)).toBe('Lifted Sails, in A. Arrow keys move it, Enter drops it, Escape cancels.');
    const lifted = steps(lift);
    expect(saying(lifted, { step: 'over', place: 'b' }, names)).toBe('Sails is over B.');
    expect(saying(lifted, { step: 'drop' }, names)).toBe('Sails stays in A.');
    const over = steps(lift, { step: 'over', place: 'b' });
    expect(saying(over, { step: 'drop' }, names)).toBe('Dropped Sails in B.');
    expect(saying(over, { step: 'end' }, names)).toBe('Sails is back in A.');
    expect(saying(over, { step: 'gone' }, names)).toBe('Sails is no longer in this view.');
    expect(saying(null, lift, names, 'It is sorted.')).toMatch(/Escape cancels\. It is sorted\.$/);
  });
});
