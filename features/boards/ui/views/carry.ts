/**
 * Dragging an item to another stack, day, or date range. Pointer and keyboard use the same steps, so both have the same
 * features.
 */
import { useEffect, useEffectEvent, useReducer } from 'react';

/** The dragged item with its origin and target. */
export interface Carried<Place> {
  item: string;
  name: string;
  from: Place;
  to: Place;
  /** Whether the keyboard carries it; the pointer draws it at its own place. */
  byKey: boolean;
}

export type CarryStep<Place> =
  | { step: 'lift'; item: string; name: string; at: Place; byKey: boolean }
  | { step: 'over'; place: Place }
  | { step: 'end' }
  /** What is carried is not in the view any more. */
  | { step: 'gone' };

/** The next drag state. */
export function carry<Place>(now: Carried<Place> | null, step: CarryStep<Place>): Carried<Place> | null {
  switch (step.step) {
    case 'lift':
      return { item: step.item, name: step.name, from: step.at, to: step.at, byKey: step.byKey };
    case 'over':
      return now && !same(now.to, step.place) ? { ...now, to: step.place } : now;
    case 'end':
    case 'gone':
      return null;
  }
}

/** Whether dropping the item would move it; `which` returns the relevant part of a place. */
export const hasMoved = <Place>({ from, to }: Carried<Place>, which: (place: Place) => unknown = (place) => place) =>
  !same(which(from), which(to));

const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Screen reader announcement of a step; a note about the view is added to the lift. */
export function saying<Place>(
  before: Carried<Place> | null,
  step: CarryStep<Place> | { step: 'drop' },
  placeName: (place: Place) => string,
  note = '',
  which?: (place: Place) => unknown,
): string {
  if (step.step === 'lift')
    return `Lifted ${step.name}, in ${placeName(step.at)}. Arrow keys move it, Enter drops it, Escape cancels. ${note}`.trim();
  if (!before) return '';
  if (step.step === 'over') return `${before.name} is over ${placeName(step.place)}.`;
  if (step.step === 'drop')
    return hasMoved(before, which)
      ? `Dropped ${before.name} in ${placeName(before.to)}.`
      : `${before.name} stays in ${placeName(before.to)}.`;
  if (step.step === 'gone') return `${before.name} is no longer in this view.`;
  return `${before.name} is back in ${placeName(before.from)}.`;
}

interface CarryHost<Place> {
  placeName: (place: Place) => string;
  note?: string;
  /** What of a place tells it from others, where that is not all of it. */
  which?: (place: Place) => unknown;
  /** Whether an item is in the view; what is carried is let go of when it is not any more. */
  isHere: (item: string) => boolean;
  onGone?: (carried: Carried<Place>) => void;
  /** Lets go of it at another place than the one it came from. */
  onDrop: (carried: Carried<Place>) => void;
}

/** Dragging for a view: state, steps, and the last announcement. */
export function useCarry<Place>({ placeName, note, which, isHere, onGone, onDrop }: CarryHost<Place>) {
  const [{ carried, said }, dispatch] = useReducer(
    (
      now: { carried: Carried<Place> | null; said: string },
      { step, said }: { step: CarryStep<Place>; said: string },
    ) => ({ carried: carry(now.carried, step), said: said || now.said }),
    { carried: null, said: '' },
  );
  const take = (step: CarryStep<Place>) =>
    dispatch({
      step,
      said: carried?.byKey === false && step.step !== 'gone' ? '' : saying(carried, step, placeName, note),
    });
  const isGone = carried !== null && !isHere(carried.item);
  const lose = useEffectEvent(() => {
    take({ step: 'gone' });
    if (carried) onGone?.(carried);
  });
  useEffect(() => {
    if (isGone) lose();
  }, [isGone]);
  return {
    carried,
    said,
    lift: (item: string, name: string, at: Place, byKey: boolean) => take({ step: 'lift', item, name, at, byKey }),
    over: (place: Place) => {
      if (carried && !same(carried.to, place)) take({ step: 'over', place });
    },
    drop: () => {
      if (!carried) return;
      dispatch({ step: { step: 'end' }, said: saying(carried, { step: 'drop' }, placeName, '', which) });
      if (hasMoved(carried, which)) onDrop(carried);
    },
    cancel: () => take({ step: 'end' }),
  };
}

export type Carrying<Place> = ReturnType<typeof useCarry<Place>>;
