/** A computed cell without a result: a dash, and the reason once the cell has the focus or the pointer. */
import { useState } from 'react';
import type { Column } from '../data';
import { useReason } from './data';
import './formula.css';

export function NoResult({ board, item, column, isHere }: { board: string; item: string; column: Column; isHere: boolean }) {
  const [isOver, setOver] = useState(false);
  const reason = useReason(board, column, item, isHere || isOver);
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
