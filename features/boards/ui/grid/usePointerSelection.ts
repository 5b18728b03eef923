/** Selecting and filling cells with the pointer. */
import { useRef, type PointerEvent } from 'react';
import { boxOf, type Place, type Range } from './selection';
import type { Cursor } from './useCursor';

const placeOf = (target: EventTarget | null): (Place & { isHead: boolean }) | null => {
  if (!(target instanceof Element)) return null;
  const line = target.closest<HTMLElement>('.grid-item')?.dataset.line;
  const head = target.closest('[data-row-head]');
  const column = head ? '0' : target.closest<HTMLElement>('[data-column]')?.dataset.column;
  return line === undefined || column === undefined
    ? null
    : { line: Number(line), column: Number(column), isHead: head !== null };
};

/** Handles a press on the table. `onFill` runs when the handle of a range is dropped. */
export function usePointerSelection(cursor: Cursor, onFill: (range: Range) => void) {
  const { setPlace, setRanges, editing, here, last, across, wantsFocus, tabs } = cursor;
  // The pointer is dropped later than it's pressed: on the cells of then.
  const fillRange = useRef(onFill);
  fillRange.current = onFill;
  return (event: PointerEvent) => {
    const target = event.target as Element;
    const at = placeOf(target);
    if (!at || event.button !== 0 || target.closest('button, input, select, a')) return;
    if (editing) {
      if (at.line === editing.line && at.column === editing.column) return;
      // What was typed is saved, or refused, before anything else is chosen.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      wantsFocus.current = false;
    }
    const isFilling = target.closest('[data-handle]') !== null;
    const isMore = event.ctrlKey || event.metaKey;
    const begun: Range = isFilling
      ? last
      : event.shiftKey
        ? { from: last.from, to: at }
        : at.isHead
          ? across(at.line, at.line)
          : { from: at, to: at };
    let now = at.isHead && event.shiftKey ? across(last.from.line, at.line) : begun;
    const others = isMore || isFilling ? here.slice(0, isFilling ? -1 : undefined) : [];
    const put = (range: Range) => {
      now = range;
      const isPlain =
        others.length === 0 && !at.isHead && range.from.line === range.to.line && range.from.column === range.to.column;
      setRanges(isPlain ? [] : [...others, range]);
    };
    if (isFilling || event.shiftKey || at.isHead || isMore) event.preventDefault();
    put(now);
    if (!event.shiftKey && !isFilling) {
      if (at.isHead || isMore) wantsFocus.current = true;
      setPlace({ line: at.line, column: at.column });
    }
    const onMove = (moved: globalThis.PointerEvent) => {
      const over = placeOf(moved.target);
      if (!over) return;
      if (isFilling)
        put({ from: begun.from, to: { line: Math.max(over.line, boxOf(begun).bottom), column: begun.to.column } });
      else if (at.isHead) put(across(now.from.line, over.line));
      else if (over.line !== now.to.line || over.column !== now.to.column) put({ from: now.from, to: over });
    };
    tabs.current = null;
    const onUp = () => {
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onUp);
      if (isFilling) fillRange.current(now);
    };
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onUp);
  };
}
