/** The list of rows: only what is in view is in the document, and the row with the focus. */
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import { Badge, Icon, ScreenReaderOnly, Time } from '@shell/components';
import { kindOf, maker, type KindRecord, type Row } from './data';
import type { Group, Layout } from './layout';

/** Heights of lines, as in inbox.css: they don't depend on content, so nothing is measured while scrolling. */
const ROW_PX = 56;
const HEAD_PX = 32;

interface Props {
  label: string;
  layout: Layout;
  rowAt: (at: number) => Row | undefined;
  /** The position of the active row. */
  active: number;
  selected: ReadonlySet<string>;
  kinds: readonly KindRecord[] | undefined;
  nameOf: (group: Group) => string;
  onRange: (first: number, last: number) => void;
  onPick: (at: number, row: Row) => void;
  onToggle: (row: Row) => void;
  scroller: RefObject<HTMLDivElement | null>;
  /** Counts the requests to move the focus to the active row. */
  focusCount: number;
}

export function InboxList(props: Props) {
  const { layout, rowAt, active, selected, kinds, onRange, onPick, onToggle, scroller, focusCount } = props;
  const activeLine = layout.lineOf(active);
  const heads = useRef(layout);
  heads.current = layout;
  const list = useVirtualizer({
    count: layout.lines,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback((line: number) => (heads.current.lineAt(line)?.kind === 'head' ? HEAD_PX : ROW_PX), []),
    overscan: 8,
    scrollPaddingStart: HEAD_PX,
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), activeLine])]
        .filter((line) => line >= 0 && line < range.count)
        .sort((a, b) => a - b),
  });
  useEffect(() => list.measure(), [list, layout]);
  const items = list.getVirtualItems();
  const range = list.range;
  const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? 20];
  useEffect(() => onRange(first, last), [first, last, onRange]);
  useEffect(() => {
    if (focusCount === 0) return;
    list.scrollToIndex(activeLine, { align: 'auto' });
    const drawn = requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true }),
    );
    return () => cancelAnimationFrame(drawn);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- Only a request moves the focus, not a change of rows.
  }, [focusCount]);
  const onKeyDown = (event: KeyboardEvent, at: number, row: Row) => {
    if (event.key === ' ' && event.target === event.currentTarget) {
      event.preventDefault();
      onPick(at, row);
    }
  };
  return (
    <div className="inbox-scroller" ref={scroller}>
      <div
        role="grid"
        aria-label={props.label}
        aria-rowcount={layout.lines}
        aria-multiselectable
        style={{ height: list.getTotalSize(), position: 'relative' }}
      >
        {items.map((item) => {
          const line = layout.lineAt(item.index);
          if (!line) return null;
          const place = { transform: `translateY(${item.start}px)` };
          if (line.kind === 'head')
            return (
              <div key={item.index} role="row" aria-rowindex={item.index + 1} className="inbox-head" style={place}>
                <span role="rowheader">
                  {props.nameOf(line.group)}{' '}
                  <span className="inbox-head-count">{line.group.rows.toLocaleString()}</span>
                </span>
              </div>
            );
          const row = rowAt(line.row);
          if (!row)
            return (
              <div key={item.index} role="row" aria-rowindex={item.index + 1} className="inbox-line" style={place}>
                <span role="gridcell" className="inbox-blank">
                  <ScreenReaderOnly>Loading</ScreenReaderOnly>
                </span>
              </div>
            );
          const isActive = line.row === active;
          return (
            <div
              key={item.index}
              role="row"
              aria-rowindex={item.index + 1}
              aria-label={row.title}
              aria-selected={selected.has(row.id)}
              className="inbox-line"
              data-key={row.id}
              data-active={isActive || undefined}
              data-unread={!row.read || undefined}
              tabIndex={isActive ? 0 : -1}
              style={place}
              onClick={() => onPick(line.row, row)}
              onKeyDown={(event) => onKeyDown(event, line.row, row)}
            >
              <Line row={row} kinds={kinds} isSelected={selected.has(row.id)} onToggle={() => onToggle(row)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Line({
  row,
  kinds,
  isSelected,
  onToggle,
}: {
  row: Row;
  kinds: readonly KindRecord[] | undefined;
  isSelected: boolean;
  onToggle: () => void;
}) {
  const kind = kindOf(row, kinds);
  return (
    <>
      <span role="gridcell" className="inbox-check">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={`Select ${row.title}`}
          onClick={(event) => event.stopPropagation()}
          onChange={onToggle}
        />
      </span>
      <span role="gridcell" className="inbox-line-text">
        <span className="inbox-line-title">
          <Icon name={kind.icon} />
          {!row.read && <ScreenReaderOnly>Unread: </ScreenReaderOnly>}
          <span className="inbox-ellipsis">{row.title}</span>
        </span>
        <span className="inbox-line-meta">
          {row.severity !== 'info' && (
            <Badge tone={row.severity === 'critical' ? 'bad' : 'warn'} icon="warning">
              {row.severity === 'critical' ? 'Critical' : 'Warning'}
            </Badge>
          )}
          {row.waits && <Badge tone="warn">Waiting</Badge>}
          <span>{kind.label}</span>
          <span className="inbox-ellipsis">{row.body.split('\n', 1)[0] || maker(row)}</span>
          <Time at={row.changedAt} />
        </span>
      </span>
    </>
  );
}
