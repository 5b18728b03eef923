/** Puts the caret of a field at a position once the field has its next text. */
import { useLayoutEffect, useRef, type RefObject } from 'react';

export function useCaret(field: RefObject<HTMLTextAreaElement | HTMLInputElement | null>) {
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    field.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = null;
  });
  return (at: number) => {
    wanted.current = at;
  };
}
