import { useEffect, useRef, type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { Icon } from '@shell/components';
import type { Edge } from './Grid';
import type { Direction, Mode } from './grid/reducer';
import type { GridHandle } from './grid/useGrid';

const ARROWS: Record<string, Direction> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' };
/** Steps of an arrow key with Shift. */
const SHIFT_STEPS = 4;
const EDGES: Exclude<Edge, null>[] = ['n', 'e', 's', 'w'];

/** What a tile is given by the grid. */
export interface WidgetTileProps {
  id: string;
  title: string;
  style: CSSProperties;
  /** What stands below its value shares one line. */
  isLow: boolean;
  /** What is being done to it. */
  held: Mode | null;
  /** Whether it hangs at the pointer; the grid says where, in `--at-x` and its like. */
  isCarried: boolean;
  /** Whether its settings are open at the side. */
  isEdited: boolean;
  grid: GridHandle;
  lift: (mode: Mode) => void;
  onPointerDown: (event: PointerEvent, edge: Edge) => void;
  menu: ReactNode;
  children: ReactNode;
}

/** A widget's frame: its name, its two handles for the keyboard, its menu, and edges for the pointer. */
export function WidgetTile({
  id,
  title,
  style,
  isLow,
  held,
  isCarried,
  isEdited,
  grid,
  lift,
  onPointerDown,
  menu,
  children,
}: WidgetTileProps) {
  const element = useRef<HTMLElement>(null);
  const lastHeld = useRef(held);
  useEffect(() => {
    const before = lastHeld.current;
    lastHeld.current = held;
    // Dropping may have moved the element in the document, which takes the focus from its button.
    if (before && !held && document.activeElement === document.body)
      element.current?.querySelector<HTMLElement>(`[data-handle='${before}']`)?.focus();
    if (before && !held) element.current?.scrollIntoView({ block: 'nearest' });
  });
  // What is changed stays in sight beside its settings, which take room from the page.
  useEffect(() => {
    if (isEdited) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isEdited]);
  const handle = (mode: Mode, label: string, className: string, icon: 'grip' | 'maximize') => (
    <button
      type="button"
      className={className}
      data-handle={mode}
      aria-label={label}
      title={label}
      aria-pressed={held === mode}
      onPointerDown={(event) => {
        event.stopPropagation();
        if (!held) onPointerDown(event, mode === 'move' ? null : 'se');
      }}
      onClick={() => (held ? grid.send({ type: 'drop' }) : lift(mode))}
      onKeyDown={(event) => held && steer(event, grid)}
      onBlur={() => held && grid.send({ type: 'drop' })}
    >
      <Icon name={icon} size={14} />
    </button>
  );
  return (
    <section
      ref={element}
      className="tile"
      data-widget={id}
      aria-label={title}
      style={style}
      data-low={isLow || undefined}
      data-held={held ?? undefined}
      data-carried={isCarried || undefined}
      data-edited={isEdited || undefined}
    >
      <header
        className="tile-head"
        onPointerDown={(event) => !(event.target as Element).closest('button') && onPointerDown(event, null)}
      >
        <h2 className="tile-title" title={title}>
          {title}
        </h2>
        <div className="tile-tools">
          {handle('move', `Move ${title}`, 'tile-tool', 'grip')}
          {menu}
        </div>
      </header>
      <div className="tile-body">{children}</div>
      {EDGES.map((edge) => (
        <span
          key={edge}
          className={`tile-edge tile-edge-${edge}`}
          onPointerDown={(event) => onPointerDown(event, edge)}
          aria-hidden="true"
        />
      ))}
      {handle('resize', `Resize ${title}`, 'tile-tool tile-resize', 'maximize')}
    </section>
  );
}

function steer(event: KeyboardEvent, grid: GridHandle) {
  const direction = ARROWS[event.key];
  if (!direction && event.key !== 'Escape') return;
  event.preventDefault();
  event.stopPropagation();
  if (direction) grid.send({ type: 'step', direction, steps: event.shiftKey ? SHIFT_STEPS : 1 });
  else grid.send({ type: 'cancel' });
}
