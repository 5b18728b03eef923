/** What is carried by pointer is dropped where it was let go, however busy the page was. */
import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { usePointerCarry } from './usePointerCarry';

const dropped: string[] = [];
beforeEach(() => void dropped.splice(0));

/** A card that says over what it was dropped: the x of the pointer. */
function Card() {
  const [over, setOver] = useState('nothing');
  const { onPointerDown } = usePointerCarry<string>({
    onLift: () => setOver('its own place'),
    onMove: ({ x }) => setOver(String(x)),
    onDrop: () => dropped.push(over),
    onCancel: () => dropped.push('canceled'),
  });
  return <button onPointerDown={(event) => onPointerDown(event, 'card')}>Card</button>;
}

it('a quick movement that a busy page hears of together with its end is a drop', () => {
  render(<Card />);
  fireEvent.pointerDown(screen.getByText('Card'), { button: 0, isPrimary: true, clientX: 0, clientY: 0 });
  act(() => {
    dispatchEvent(new PointerEvent('pointermove', { clientX: 80, clientY: 0 }));
    dispatchEvent(new PointerEvent('pointerup'));
  });
  expect(dropped).toEqual(['80']);
});

it('a press that hardly moves is none', () => {
  render(<Card />);
  fireEvent.pointerDown(screen.getByText('Card'), { button: 0, isPrimary: true, clientX: 0, clientY: 0 });
  act(() => {
    dispatchEvent(new PointerEvent('pointermove', { clientX: 3, clientY: 0 }));
    dispatchEvent(new PointerEvent('pointerup'));
  });
  expect(dropped).toEqual([]);
});
