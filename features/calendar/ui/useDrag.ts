/** Dragging with a pointer. */
import type { PointerEvent as ReactPointerEvent } from 'react';

export interface Point {
  x: number;
  y: number;
}

/** Shorter movements are clicks. */
const DRAG_PX = 4;

/**
 * Follows the pointer until it's released. `onEnd` gets whether it moved, or null if the drag was canceled. A click that
 * ends a drag is swallowed.
 */
export function startDrag(
  event: ReactPointerEvent,
  { onMove, onEnd }: { onMove: (point: Point) => void; onEnd: (hasMoved: boolean | null) => void },
) {
  if (event.button !== 0) return;
  const [fromX, fromY] = [event.clientX, event.clientY];
  let hasMoved = false;
  const move = ({ clientX: x, clientY: y }: PointerEvent) => {
    if (!hasMoved && Math.hypot(x - fromX, y - fromY) < DRAG_PX) return;
    hasMoved = true;
    onMove({ x, y });
  };
  const finish = (result: boolean | null) => {
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', up);
    window.removeEventListener('pointercancel', cancel);
    window.removeEventListener('keydown', escape, true);
    if (hasMoved) {
      const swallow = (click: Event) => {
        click.stopPropagation();
        click.preventDefault();
      };
      window.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener('click', swallow, true));
    }
    onEnd(result);
  };
  const up = () => finish(hasMoved);
  const cancel = () => finish(null);
  const escape = (key: KeyboardEvent) => {
    if (key.key !== 'Escape') return;
    key.preventDefault();
    key.stopPropagation();
    finish(null);
  };
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', up);
  window.addEventListener('pointercancel', cancel);
  window.addEventListener('keydown', escape, true);
}

/** The day under a point, and its element. */
export function dayAt({ x, y }: Point, among = '[data-day]'): { day: number; element: HTMLElement } | null {
  for (const element of document.elementsFromPoint(x, y))
    if (element instanceof HTMLElement && element.dataset.day !== undefined && element.matches(among))
      return { day: Number(element.dataset.day), element };
  return null;
}
