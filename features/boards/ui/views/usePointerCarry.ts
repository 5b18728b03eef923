/** Carrying by pointer: a card follows it once it moved a little, lists under it scroll, and Escape takes all back. */
import { useEffect, useEffectEvent, useRef, useState, type PointerEvent as ReactPointerEvent } from 'react';
import { flushSync } from 'react-dom';

/** A press that moves less is a click. */
const CARRY_FROM_PX = 5;
/** So near to an edge a list scrolls, and this far at each frame. */
const EDGE_PX = 48;
const SCROLL_PX = 12;

export interface PointerHost<Source> {
  onLift: (source: Source, at: Point) => void;
  onMove: (at: Point, source: Source) => void;
  onDrop: () => void;
  onCancel: () => void;
}

export interface Point {
  x: number;
  y: number;
}

interface Press<Source> {
  source: Source;
  start: Point;
  isOn: boolean;
}

/** Returns the handler for pressing a card, and the pointer's position during a drag. */
export function usePointerCarry<Source>(host: PointerHost<Source>) {
  const [point, setPoint] = useState<Point | null>(null);
  const [press, setPress] = useState<Press<Source> | null>(null);
  const newest = useRef<Point>({ x: 0, y: 0 });
  const lift = useEffectEvent((at: Point) => {
    if (!press || press.isOn || Math.hypot(at.x - press.start.x, at.y - press.start.y) < CARRY_FROM_PX) return;
    setPress({ ...press, isOn: true });
    host.onLift(press.source, press.start);
  });
  const onMove = useEffectEvent((at: Point) => {
    if (!press?.isOn) return;
    newest.current = at;
    host.onMove(at, press.source);
    setPoint(at);
  });
  const end = useEffectEvent((drop: boolean) => {
    if (press?.isOn) {
      if (drop) host.onDrop();
      else host.onCancel();
      swallowClick();
    }
    setPress(null);
    setPoint(null);
  });
  const isPressed = press !== null;
  const isOn = press?.isOn === true;
  useEffect(() => {
    if (!isPressed) return;
    const up = () => end(true);
    const cancel = () => end(false);
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      end(false);
    };
    // A busy page hears of a quick movement at once with its end: each step knows the one before all the same.
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      flushSync(() => lift({ x, y }));
      flushSync(() => onMove({ x, y }));
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
    addEventListener('pointercancel', cancel);
    addEventListener('blur', cancel);
    addEventListener('keydown', key, true);
    return () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
      removeEventListener('pointercancel', cancel);
      removeEventListener('blur', cancel);
      removeEventListener('keydown', key, true);
    };
  }, [isPressed]);
  useEffect(() => {
    if (!isOn) return;
    let frame = requestAnimationFrame(function step() {
      scrollUnder(newest.current);
      frame = requestAnimationFrame(step);
    });
    document.documentElement.dataset.carrying = '';
    return () => {
      cancelAnimationFrame(frame);
      delete document.documentElement.dataset.carrying;
    };
  }, [isOn]);
  const onPointerDown = (event: ReactPointerEvent, source: Source) => {
    if (event.button !== 0 || !event.isPrimary) return;
    setPress({ source, start: { x: event.clientX, y: event.clientY }, isOn: false });
  };
  return { onPointerDown, point: isOn ? point : null };
}

/** The click that follows a drop opens nothing. */
function swallowClick() {
  const swallow = (event: Event) => {
    event.stopPropagation();
    event.preventDefault();
  };
  addEventListener('click', swallow, { capture: true, once: true });
  // Where no click follows, the next one is the person's own.
  setTimeout(() => removeEventListener('click', swallow, { capture: true }));
}

/** Scrolls the element under the pointer if it opts in to scrolling during drags. */
function scrollUnder({ x, y }: Point) {
  for (const element of document.elementsFromPoint(x, y)) {
    if (!(element instanceof HTMLElement) || element.dataset.scrolls === undefined) continue;
    const box = element.getBoundingClientRect();
    const near = (at: number, from: number, to: number) =>
      at < from + EDGE_PX ? -SCROLL_PX : at > to - EDGE_PX ? SCROLL_PX : 0;
    if (element.dataset.scrolls !== 'x') element.scrollTop += near(y, box.top, box.bottom);
    if (element.dataset.scrolls !== 'y') element.scrollLeft += near(x, box.left, box.right);
  }
}

/** The value of the nearest `data-NAME` around a point. */
export function dataAt(point: Point, name: string): string | undefined {
  for (const element of document.elementsFromPoint(point.x, point.y)) {
    const found = element.closest<HTMLElement>(`[data-${name}]`);
    if (found) return found.getAttribute(`data-${name}`) ?? undefined;
  }
  return undefined;
}
