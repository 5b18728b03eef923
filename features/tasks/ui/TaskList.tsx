/** The list of tasks: only what is in view is in the document, the active row, and the line that is typed. */
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import {
  useEffect,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import type { Line, Outline, Task } from './model';

/** Heights of rows, as in tasks.css. */
const ROW_PX = 36;
const COMPACT_PX = 28;
const HEAD_PX = 32;

export type Drop = 'before' | 'after' | 'inside';

interface Props {
  outline: Outline;
  lines: readonly Line[];
  /** The number of the active line; -1 for none. */
  active: number;
  selected: ReadonlySet<string>;
  isCompact: boolean;
  canDrag: boolean;
  /** Counts the requests to focus the active row. */
  focusCount: number;
  headOf: (line: Line) => ReactNode;
  rowOf: (task: Task, line: Line) => ReactNode;
  newLine: (line: Line) => ReactNode;
  onPick: (id: string, event: MouseEvent) => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  onDrop: (moved: string, on: string, where: Drop) => void;
  onDropOnHead: (moved: string, head: string) => void;
}

export function TaskList(props: Props) {
  const { outline, lines, active, selected, isCompact, canDrag, focusCount } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const newest = useRef(lines);
  newest.current = lines;
  const rowPx = isCompact ? COMPACT_PX : ROW_PX;
  const adding = lines.findIndex(({ kind }) => kind === 'new');
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (newest.current[at]?.kind === 'head' ? HEAD_PX : rowPx),
    getItemKey: (at) => `${newest.current[at]?.kind} ${newest.current[at]?.id}`,
    overscan: 10,
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), active, adding])]
        .filter((at) => at >= 0 && at < range.count)
        .sort((a, b) => a - b),
  });
  useEffect(() => list.measure(), [list, rowPx]);
  useEffect(() => {
    if (focusCount === 0 || active < 0) return;
    list.scrollToIndex(active, { align: 'auto' });
    const drawn = requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true }),
    );
    return () => cancelAnimationFrame(drawn);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- Only a request moves the focus.
  }, [focusCount]);
  useEffect(() => {
    if (adding >= 0) list.scrollToIndex(adding, { align: 'auto' });
  }, [adding, list]);

  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<{ id: string; where: Drop } | null>(null);
  const whereOf = (event: DragEvent<HTMLElement>): Drop => {
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const part = (event.clientY - top) / height;
    return part < 0.3 ? 'before' : part > 0.7 ? 'after' : 'inside';
  };
  const endDrag = () => {
    setDragged(null);
    setOver(null);
  };
  const dragsOf = (id: string) => ({
    draggable: canDrag,
    onDragStart: (event: DragEvent<HTMLElement>) => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', outline.get(id)?.text ?? '');
      setDragged(id);
    },
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (dragged === null) return;
      event.preventDefault();
      const where = whereOf(event);
      if (over?.id !== id || over.where !== where) setOver({ id, where });
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      event.preventDefault();
      if (dragged !== null) props.onDrop(dragged, id, whereOf(event));
      endDrag();
    },
    onDragEnd: endDrag,
  });
  return (
    <div className="tasks-scroller" ref={scroller}>
      <div
        role="treegrid"
        aria-label="Tasks"
        aria-rowcount={lines.length}
        aria-multiselectable
        style={{ height: list.getTotalSize(), position: 'relative' }}
      >
        {list.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (!line) return null;
          const place = { transform: `translateY(${item.start}px)` };
          if (line.kind === 'head')
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 1}
                aria-level={1}
                className="tasks-head"
                tabIndex={-1}
                style={place}
                onDragOver={(event) => dragged !== null && event.preventDefault()}
                onDrop={() => {
                  if (dragged !== null) props.onDropOnHead(dragged, line.id);
                  endDrag();
                }}
              >
                <span role="rowheader">{props.headOf(line)}</span>
              </div>
            );
          if (line.kind === 'new')
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 1}
                aria-level={line.level}
                className="tasks-row"
                data-compact={isCompact || undefined}
                style={place}
              >
                <span role="gridcell" className="tasks-text" style={{ paddingLeft: `${(line.level - 1) * 22 + 44}px` }}>
                  {props.newLine(line)}
                </span>
              </div>
            );
          const task = outline.get(line.id);
          if (!task) return null;
          const isActive = item.index === active;
          return (
            <div
              key={item.key}
              role="row"
              aria-rowindex={item.index + 1}
              aria-level={line.level}
              aria-expanded={line.parent ? !line.collapsed : undefined}
              aria-selected={selected.has(task.id)}
              aria-label={task.text}
              className="tasks-row"
              data-key={task.id}
              data-state={task.state}
              data-active={isActive || undefined}
              data-compact={isCompact || undefined}
              data-drop={over?.id === task.id && dragged !== task.id ? over.where : undefined}
              tabIndex={isActive ? 0 : -1}
              style={place}
              onClick={(event) => props.onPick(task.id, event)}
              onKeyDown={props.onKeyDown}
              {...dragsOf(task.id)}
            >
              {props.rowOf(task, line)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
