/** The lines of a timeline: a group's head, and an item with its bar. */
import type { KeyboardEvent, PointerEvent } from 'react';
import { Icon } from '@shell/components';
import { formatSpan, type DaySpan } from '@shell/dates';
import type { Column } from '../data';
import type { BoardTable } from '../table';
import { tintOf } from '../views/tint';
import type { TimelineLine } from './lines';
import type { Grip } from './scale';
import type { Part } from './Timeline';

/** A bar as it is taken by pointer. */
export interface BarSource {
  item: string;
  name: string;
  /** Null where the item has no date yet. */
  span: DaySpan | null;
  grip: Grip;
  /** The day under the pointer when it was pressed. */
  pressedAt: number;
}

interface LineFrame {
  index: number;
  count: number;
  top: number;
  height: number;
  /** What of this line has the focus when the line has it. */
  here: Part | null;
  onKeyDown: (event: KeyboardEvent, index: number, part: Part) => void;
  onFocus: (part: Part) => void;
}

const frameOf = ({ index, count, top, height }: LineFrame) => ({
  role: 'listitem',
  'aria-setsize': count,
  'aria-posinset': index + 1,
  'data-index': index,
  style: { transform: `translateY(${top}px)`, height },
});

export function GroupLine({
  line,
  todayPx,
  onFold,
  ...frame
}: LineFrame & { line: Exclude<TimelineLine, number>; todayPx: number; onFold: () => void }) {
  const { group, count, isFolded } = line;
  return (
    <div {...frameOf(frame)} className="timeline-line timeline-group">
      <button
        type="button"
        className="timeline-name"
        data-part="name"
        tabIndex={frame.here ? 0 : -1}
        aria-expanded={!isFolded}
        onClick={onFold}
        onFocus={() => frame.onFocus('name')}
        onKeyDown={(event) => frame.onKeyDown(event, frame.index, 'name')}
      >
        <Icon name={isFolded ? 'chevronRight' : 'chevronDown'} size={12} />
        <svg className="stack-dot" viewBox="0 0 8 8" aria-hidden="true" focusable="false">
          <circle cx="4" cy="4" r="4" fill={group.color ?? 'currentColor'} />
        </svg>
        <span className="grid-text">{group.name}</span>
        <span className="timeline-count" data-numeric>
          {count.toLocaleString()}
        </span>
      </button>
      <div className="timeline-today" aria-hidden="true" style={{ left: todayPx }} />
    </div>
  );
}

interface ItemLineProps extends LineFrame {
  table: BoardTable;
  row: number;
  span: DaySpan | null;
  isCarried: boolean;
  /** Its end is before its beginning. */
  isReversed: boolean;
  stretches: boolean;
  tint: Column | undefined;
  /** Where a day begins. */
  x: (day: number) => number;
  dayPx: number;
  today: number;
  onPress: (event: PointerEvent, source: Omit<BarSource, 'pressedAt'>) => void;
  onOpen: () => void;
  onPlaceToday: () => void;
}

export function ItemLine(props: ItemLineProps) {
  const {
    table,
    row,
    span,
    isCarried,
    isReversed,
    stretches,
    tint,
    x,
    dayPx,
    today,
    onPress,
    onOpen,
    onPlaceToday,
    index,
    here,
    onKeyDown,
    onFocus,
  } = props;
  const item = table.id(row);
  const name = String(table.cell(row, 'name') ?? '');
  const { style, text } = tintOf(table, row, tint);
  const part = (which: Part) => ({
    type: 'button' as const,
    'data-part': which,
    tabIndex: here === which || (here !== null && which === 'name') ? 0 : -1,
    onFocus: () => onFocus(which),
    onKeyDown: (event: KeyboardEvent) => onKeyDown(event, index, which),
    onKeyUp: (event: KeyboardEvent) => {
      if (event.key === ' ' && which === 'bar') event.preventDefault();
    },
  });
  const press = (grip: Grip) => (event: PointerEvent) => {
    if (grip !== 'move') event.stopPropagation();
    onPress(event, { item, name, span, grip });
  };
  const days = span ? span.to - span.from + 1 : 1;
  const width = Math.max(days * dayPx - 2, 6);
  const fault = isReversed && 'ends before it starts';
  const words = fault ? `${name}, ${fault}` : name;
  return (
    <div {...frameOf(props)} className="timeline-line">
      <button {...part('name')} className="timeline-name" onClick={onOpen} title={name}>
        <span className="grid-text">{name}</span>
      </button>
      {span ? (
        <>
          <button
            {...part('bar')}
            className="timeline-item"
            data-carried={isCarried || undefined}
            data-thin={width < 16 || undefined}
            data-reversed={isReversed || undefined}
            style={{ ...style, left: x(span.from) + 1, width }}
            aria-label={[words, formatSpan(span), text].filter(Boolean).join(', ')}
            aria-describedby="timeline-keys"
            title={`${words}: ${formatSpan(span)}`}
            onPointerDown={press('move')}
            onClick={onOpen}
          >
            {isReversed && width > 16 && <Icon name="warning" />}
            {width > 40 && <span className="grid-text">{words}</span>}
            {stretches && <span className="timeline-edge timeline-edge-start" onPointerDown={press('start')} />}
            {stretches && <span className="timeline-edge timeline-edge-end" onPointerDown={press('end')} />}
          </button>
          {width <= 40 && (
            <span className="timeline-beside" aria-hidden="true" style={{ left: x(span.from) + width + 8 }}>
              {words}
            </span>
          )}
        </>
      ) : (
        <button
          {...part('bar')}
          className="timeline-place"
          style={{ left: x(today) + 4 }}
          aria-describedby="timeline-keys"
          aria-label={`Set the date of ${name}`}
          onPointerDown={press('move')}
          onClick={onPlaceToday}
        >
          <Icon name="plus" size={12} /> Set date
        </button>
      )}
    </div>
  );
}
