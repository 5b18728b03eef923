/** The grid of tiles: CSS Grid places them, the reducer says where; pointer, keys and menu all speak to the reducer. */
import {
  useLayoutEffect,
  useMemo,
  useRef,
  type CSSProperties,
  type PointerEvent as ReactPointerEvent,
  type ReactNode,
} from 'react';
import { arranged, byReading, COLUMNS, fitted, type Box, type Tile } from './grid/layout';
import { outline, rowsShown, shownTiles, type Mode } from './grid/reducer';
import { reorder } from './grid/reorder';
import { useGrid, type GridHandle } from './grid/useGrid';
import type { Widget } from './model';
import { kindOf } from './widgets';
import { WidgetTile } from './WidgetTile';

/** Height of a row and distance between tiles; dashboards.css has the same. */
const ROW_PX = 40;
const GAP_PX = 12;
/** A tile of so few rows has room for its value and one line. */
const LOW_ROWS_MAX = 2;
/** A press that moves less is a click. */
const DRAG_PX_MIN = 4;

/** Which edges the pointer pulls; none means the whole tile. */
export type Edge = 'n' | 'e' | 's' | 'w' | 'se' | null;

/** What the grid needs of the page. */
export interface GridProps {
  widgets: readonly Widget[];
  titleOf: (id: string) => string;
  /** The widget whose settings are open. */
  edited: string | null;
  onArrange: (tiles: Tile[]) => void;
  content: (widget: Widget) => ReactNode;
  menu: (widget: Widget, place: (change: (box: Box) => Box) => void) => ReactNode;
  /** What stands above the tiles where they are printed or drawn as a picture. */
  head: ReactNode;
}

/** A place in the grid, in cells, for dashboards.css. */
const place = (box: Box): CSSProperties =>
  ({ '--x': box.x + 1, '--y': box.y + 1, '--w': box.w, '--h': box.h }) as CSSProperties;

/** Where a tile goes when an edge, or all of it, is pulled by so many cells. */
export function pulled(box: Box, edge: Edge, dx: number, dy: number, min: { w: number; h: number }): Box {
  if (edge === null)
    return { ...box, x: Math.min(Math.max(box.x + dx, 0), COLUMNS - box.w), y: Math.max(box.y + dy, 0) };
  let { x, y, w, h } = box;
  if (edge.includes('e')) w = Math.min(Math.max(w + dx, min.w), COLUMNS - x);
  if (edge.includes('s')) h = Math.max(h + dy, min.h);
  if (edge === 'w') {
    const to = Math.min(Math.max(x + dx, 0), x + w - min.w);
    w += x - to;
    x = to;
  }
  if (edge === 'n') {
    const to = Math.min(Math.max(y + dy, 0), y + h - min.h);
    h += y - to;
    y = to;
  }
  return { x, y, w, h };
}

const minOfKind = (kind: string) => kindOf(kind)?.min ?? { w: 1, h: 1 };

/** Draws the tiles. Their elements are put into reading order here: React would choose which of them it moves. */
export function Grid({ widgets, titleOf, edited, onArrange, content, menu, head }: GridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const minOf = (id: string) => minOfKind(widgets.find((widget) => widget.id === id)?.kind ?? '');
  const tiles = useMemo(() => {
    const mins = new Map(widgets.map(({ id, kind }) => [id, minOfKind(kind)]));
    const places = widgets.map(({ id, layout: { x, y, w, h } }) => ({ id, x, y, w, h }));
    return arranged(places, (id) => mins.get(id) ?? minOfKind(''));
  }, [widgets]);
  const grid = useGrid(tiles, titleOf, onArrange);
  const { held } = grid.state;
  const drawn = outline(grid.state);
  const shown = new Map(shownTiles(grid.state).map((tile) => [tile.id, tile]));
  // The order stays while a tile is in the hand.
  const settled = new Map(grid.state.tiles.map((tile) => [tile.id, tile]));
  const ordered = [...widgets].sort((a, b) =>
    byReading(settled.get(a.id) ?? { id: a.id, ...a.layout }, settled.get(b.id) ?? { id: b.id, ...b.layout }),
  );

  const order = JSON.stringify(ordered.map(({ id }) => id));
  useLayoutEffect(() => {
    const elements = new Map(
      [...(frame.current?.querySelectorAll<HTMLElement>(':scope > .tile') ?? [])].map((tile) => [
        tile.dataset.widget,
        tile,
      ]),
    );
    if (frame.current)
      reorder(
        frame.current,
        (JSON.parse(order) as string[]).flatMap((id) => elements.get(id) ?? []),
      );
  }, [order]);

  const lift = (id: string, mode: Mode, isCarried = false) =>
    grid.send({ type: 'lift', id, mode, min: minOf(id), isCarried });
  const drag = usePointer(frame, grid, lift, minOf);
  const { send, tilesNow } = grid;
  // Whatever is in the hand, what stands in the tiles is the same: it is made again only when the page is.
  const insides = useMemo(() => {
    const arrange = ({ id, kind }: Widget, change: (box: Box) => Box) => {
      const tile = tilesNow().find((one) => one.id === id);
      if (!tile) return;
      const min = minOfKind(kind);
      send({ type: 'lift', id, mode: 'move', min });
      send({ type: 'to', box: fitted(change({ x: tile.x, y: tile.y, w: tile.w, h: tile.h }), min) });
      send({ type: 'drop' });
    };
    return new Map(
      widgets.map((widget) => [
        widget.id,
        { content: content(widget), menu: menu(widget, (change) => arrange(widget, change)) },
      ]),
    );
  }, [widgets, content, menu, send, tilesNow]);

  return (
    <div className="dash-frame">
      {head}
      <div
        className="dash-grid"
        ref={frame}
        data-holding={held ? '' : undefined}
        style={{ '--rows': rowsShown(grid.state) } as CSSProperties}
      >
        {[...widgets]
          .sort((a, b) => (a.id < b.id ? -1 : 1))
          .map((widget) => (
            <WidgetTile
              key={widget.id}
              id={widget.id}
              title={titleOf(widget.id)}
              style={place(shown.get(widget.id) ?? widget.layout)}
              isLow={(shown.get(widget.id) ?? widget.layout).h <= LOW_ROWS_MAX}
              held={held?.id === widget.id ? held.mode : null}
              isCarried={held?.id === widget.id && held.isCarried}
              isEdited={widget.id === edited}
              grid={grid}
              lift={(mode) => lift(widget.id, mode)}
              onPointerDown={(event, edge) => drag(event, widget.id, edge)}
              menu={insides.get(widget.id)?.menu}
            >
              {insides.get(widget.id)?.content}
            </WidgetTile>
          ))}
        {drawn && <div className="dash-ghost" style={place(drawn)} aria-hidden="true" />}
      </div>
      <p className="sr-only" role="status" aria-live="polite" data-testid="grid-says">
        {grid.said}
      </p>
    </div>
  );
}

function usePointer(
  frame: { current: HTMLDivElement | null },
  grid: GridHandle,
  lift: (id: string, mode: Mode, isCarried: boolean) => void,
  minOf: (id: string) => { w: number; h: number },
) {
  const stop = useRef<(() => void) | null>(null);
  return (event: ReactPointerEvent, id: string, edge: Edge) => {
    const tile = grid.state.tiles.find((one) => one.id === id);
    const element = event.currentTarget.closest<HTMLElement>('.tile');
    const width = frame.current?.clientWidth;
    if (event.button !== 0 || !tile || !element || !frame.current || !width || grid.state.held) return;
    // In one column the tiles do not stand where they are placed; there the keys and the menu move them.
    if (getComputedStyle(frame.current).gridTemplateColumns.split(' ').length < COLUMNS) return;
    stop.current?.();
    const start = { x: event.clientX, y: event.clientY, scroll: scrollTop(frame.current) };
    const column_px = (width - GAP_PX * (COLUMNS - 1)) / COLUMNS + GAP_PX;
    const box: Box = { x: tile.x, y: tile.y, w: tile.w, h: tile.h };
    let isDragging = false;
    let at = { x: event.clientX, y: event.clientY };
    const follow = () => {
      const dx = at.x - start.x;
      const dy = at.y - start.y + scrollTop(frame.current) - start.scroll;
      if (!isDragging && Math.hypot(dx, dy) < DRAG_PX_MIN) return;
      const [columns, rows, min] = [dx / column_px, dy / (ROW_PX + GAP_PX), minOf(id)];
      // Straight to its element: at every step of the pointer only this tile is drawn again, and one that moves not even laid out.
      const to = pulled(box, edge, columns, rows, min);
      const laid = edge === null ? box : to;
      if (!isDragging || edge !== null)
        for (const [name, cells] of Object.entries(laid)) element.style.setProperty(`--at-${name}`, String(cells));
      element.style.setProperty('--by-x', `${(to.x - laid.x) * column_px}px`);
      element.style.setProperty('--by-y', `${(to.y - laid.y) * (ROW_PX + GAP_PX)}px`);
      if (!isDragging) lift(id, edge === null ? 'move' : 'resize', true);
      isDragging = true;
      grid.send({ type: 'to', box: pulled(box, edge, Math.round(columns), Math.round(rows), min) });
    };
    const move = (next: PointerEvent) => {
      at = { x: next.clientX, y: next.clientY };
      follow();
    };
    const end = (type: 'drop' | 'cancel') => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('scroll', follow, true);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', cancel);
      window.removeEventListener('keydown', key, true);
      window.removeEventListener('selectstart', unmarked, true);
      stop.current = null;
      if (isDragging) grid.send({ type });
      // The click that ends a drag is none.
      if (isDragging) window.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener('click', swallow, true));
    };
    const swallow = (click: MouseEvent) => {
      click.stopPropagation();
      click.preventDefault();
    };
    // What is dragged over is not marked as text, also outside the grid.
    const unmarked = (begun: Event) => begun.preventDefault();
    const up = () => end('drop');
    const cancel = () => end('cancel');
    const key = (pressed: KeyboardEvent) => {
      if (pressed.key !== 'Escape' || !isDragging) return;
      pressed.stopPropagation();
      end('cancel');
    };
    window.addEventListener('pointermove', move);
    // The wheel takes the page along below the pointer.
    window.addEventListener('scroll', follow, true);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', cancel);
    window.addEventListener('keydown', key, true);
    window.addEventListener('selectstart', unmarked, true);
    stop.current = cancel;
  };
}

const scrollTop = (element: Element | null) => element?.closest('.page-body')?.scrollTop ?? 0;
