/** A computed cell without a result: a dash, and the reason once the cell has the focus or the pointer. While results are still being computed, that one may be to come. */
import { useState } from 'react';
import type { Column } from '../data';
import { useIsComputing } from './Computing';
import { useReason } from './data';
import './formula.css';

export function NoResult({
  board,
  item,
  column,
  isHere,
}: {
  board: string;
  item: string;
  column: Column;
  isHere: boolean;
}) {
  const [isOver, setOver] = useState(false);
  const isComputing = useIsComputing();
  const reason = useReason(board, column, item, !isComputing && (isHere || isOver));
  if (isComputing) {
    return (
      <span className="no-result">
        <span aria-hidden="true">…</span>
        <span className="sr-only">Computing</span>
      </span>
    );
  }
  return (
    <span className="no-result" onPointerEnter={() => setOver(true)} onPointerLeave={() => setOver(false)}>
      <span aria-hidden="true">–</span>
      <span className="sr-only">No result. </span>
      {reason && (
        <span role="status" className="no-result-reason">
          {reason}
        </span>
      )}
    </span>
  );
}
