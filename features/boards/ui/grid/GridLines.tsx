/** The lines of the table that are in view, and the totals below them. */
import type { Ref } from 'react';
import type { Member } from '@shell/members';
import { InView, type InViewHandle } from './InView';
import { Row, type RowActions } from './Row';
import { boxOf } from './selection';
import { TotalCells, type TotalName } from './totals';
import type { Cursor } from './useCursor';
import type { useLines } from './useLines';

/** The line of titles, which stays in view; boards.css has it too. */
const HEAD_PX = 36;
const NO_BOXES: [] = [];

interface GridLinesProps {
  rows: ReturnType<typeof useLines>;
  members: readonly Member[];
  cursor: Cursor;
  scroller: HTMLElement;
  rowPx: number;
  template: string;
  chosenTotals: Record<string, TotalName | undefined>;
  actions: RowActions;
  ref: Ref<InViewHandle>;
}

export function GridLines({
  rows: { view, lines, numbers, shown, isTotalled, unfolded },
  members,
  cursor: { place, editing, boxes, last },
  scroller,
  rowPx,
  template,
  chosenTotals,
  actions,
  ref,
}: GridLinesProps) {
  const { table, totals } = view;
  const lastBox = boxOf(last);
  return (
    <InView
      scroller={scroller}
      count={lines.length}
      rowPx={rowPx}
      head={HEAD_PX}
      foot={isTotalled ? rowPx : 0}
      kept={place.line}
      ref={ref}
      draw={(index, top, isPassing) => {
        const line = lines[index]!;
        const reaching = boxes.filter((box) => index >= box.top && index <= box.bottom);
        return (
          <Row
            key={typeof line === 'number' ? table.id(line) : 'addTo' in line ? `add to ${line.addTo}` : `line ${index}`}
            line={line}
            index={index}
            number={numbers[index]!}
            top={top}
            isPassing={isPassing}
            rowPx={rowPx}
            template={template}
            shown={shown}
            table={table}
            members={members}
            here={place.line === index ? place.column : -1}
            editing={editing?.line === index ? editing : null}
            boxes={reaching.length > 0 ? reaching : NO_BOXES}
            handle={typeof line === 'number' && lastBox.bottom === index ? lastBox.right : -1}
            totals={typeof line === 'object' && 'totalsOf' in line ? totals?.groups[line.totalsOf.id] : undefined}
            chosenTotals={chosenTotals}
            isUnfolded={typeof line === 'number' && unfolded.size > 0 && unfolded.has(table.id(line))}
            actions={actions}
          />
        );
      }}
    />
  );
}

/** The totals of all items. */
export function GridFoot({
  rows: { view, lines, shown, isTotalledByGroup },
  rowPx,
  template,
  chosenTotals,
}: Pick<GridLinesProps, 'rows' | 'rowPx' | 'template' | 'chosenTotals'>) {
  return (
    <div
      role="row"
      aria-rowindex={lines.length + 2}
      className="grid-row grid-totals grid-foot"
      style={{ height: rowPx, gridTemplateColumns: template }}
    >
      <div role="gridcell" aria-colindex={1} className="grid-cell grid-gutter" aria-label="Totals of the board" />
      <TotalCells
        shown={shown}
        totals={view.totals?.all}
        chosen={chosenTotals}
        {...(isTotalledByGroup && { label: 'All groups' })}
      />
    </div>
  );
}
