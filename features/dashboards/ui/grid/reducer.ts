/**
 * Moving and resizing: lift, steer a ghost, drop or cancel. The pointer, the keyboard and the menu send the same events,
 * so there is one way in which a tile finds its place.
 *
 * The ghost stays where it was steered, while the tiles show what dropping it would give. Steering the tile itself would
 * not work: pulled up after every step, a tile could never be taken past its neighbor one row at a time.
 */
import {
  bottom,
  COLUMNS,
  compacted,
  dropped,
  fitted,
  ROWS_MAX,
  sameTiles,
  sharesColumn,
  type Box,
  type Tile,
} from './layout';

/** Smallest size of a tile. */
export interface MinSize {
  w: number;
  h: number;
}

/** What is being done to a tile. */
export type Mode = 'move' | 'resize';

/** Arrow of a key. */
export type Direction = 'left' | 'right' | 'up' | 'down';

/** A tile in the hand. */
export interface Held {
  id: string;
  mode: Mode;
  min: MinSize;
  /** Whether it hangs at the pointer, which shows where it was steered to. */
  isCarried: boolean;
  /** Where it was steered. */
  ghost: Box;
  /** The arrangement that dropping gives. */
  preview: Tile[];
}

/** The grid: what is settled, and what is in the hand. */
export interface GridState {
  tiles: Tile[];
  held: Held | null;
}

/** What can happen to the grid. */
export type GridEvent =
  | { type: 'lift'; id: string; mode: Mode; min: MinSize; isCarried?: boolean }
  /** An arrow key; `steps` is 4 with Shift. */
  | { type: 'step'; direction: Direction; steps: number }
  /** The pointer is over this place, or the menu names it. */
  | { type: 'to'; box: Box }
  | { type: 'drop' }
  | { type: 'cancel' }
  /** The dashboard changed by other means. */
  | { type: 'tiles'; tiles: Tile[] };

/** The next state. */
export function gridReducer(state: GridState, event: GridEvent): GridState {
  if (event.type === 'tiles') return replaced(state, event.tiles);
  if (event.type === 'lift') {
    const tile = state.tiles.find((one) => one.id === event.id);
    if (!tile || state.held) return state;
    const { x, y, w, h } = tile;
    return {
      ...state,
      held: {
        id: tile.id,
        mode: event.mode,
        min: event.min,
        isCarried: event.isCarried ?? false,
        ghost: { x, y, w, h },
        preview: state.tiles,
      },
    };
  }
  const { held } = state;
  if (!held) return state;
  switch (event.type) {
    case 'cancel':
      return { ...state, held: null };
    case 'drop':
      return { tiles: held.preview, held: null };
    case 'to':
      return steered(state, held, fitted(event.box, held.min));
    case 'step': {
      let next = state;
      for (let i = 0; i < event.steps && next.held; i++) next = stepped(next, next.held, event.direction);
      return next;
    }
  }
}

function replaced(state: GridState, tiles: Tile[]): GridState {
  if (sameTiles(state.tiles, tiles)) return state;
  const { held } = state;
  // What someone else removed cannot be held; what is held stays in the hand over the new arrangement.
  if (!held || !tiles.some((tile) => tile.id === held.id)) return { tiles, held: null };
  return steered({ tiles, held }, held, held.ghost);
}

const same = (a: Box, b: Box) => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;

function steered(state: GridState, held: Held, ghost: Box): GridState {
  if (same(ghost, held.ghost) && held.preview !== state.tiles) return state;
  return { ...state, held: { ...held, ghost, preview: dropped(state.tiles, held.id, ghost) } };
}

function stepped(state: GridState, held: Held, direction: Direction): GridState {
  const { ghost } = held;
  if (held.mode === 'resize') {
    const w = ghost.w + (direction === 'right' ? 1 : direction === 'left' ? -1 : 0);
    const h = ghost.h + (direction === 'down' ? 1 : direction === 'up' ? -1 : 0);
    // The left edge stays, so the grid's right edge ends the growing.
    return steered(state, held, {
      ...ghost,
      w: Math.max(held.min.w, Math.min(w, COLUMNS - ghost.x)),
      h: Math.max(held.min.h, Math.min(h, ROWS_MAX)),
    });
  }
  if (direction === 'left' || direction === 'right') {
    return steered(state, held, fitted({ ...ghost, x: ghost.x + (direction === 'left' ? -1 : 1) }));
  }
  for (const y of stops(state, held, direction)) {
    const next = steered(state, held, { ...ghost, y });
    // A stop that gives what is seen already is no step: the key must do something while anything is left to do.
    if (next.held && !sameTiles(next.held.preview, held.preview)) return next;
  }
  return state;
}

/** Rows at which the ghost meets the upper or lower edge of a neighbor in its columns, in the direction's order. */
function stops(state: GridState, held: Held, direction: 'up' | 'down'): number[] {
  const others = compacted(state.tiles.filter((tile) => tile.id !== held.id));
  const edges = others.filter((tile) => sharesColumn(tile, held.ghost)).flatMap((tile) => [tile.y, tile.y + tile.h]);
  const rows = [...new Set([0, ...edges])].sort((a, b) => a - b);
  return direction === 'down' ? rows.filter((y) => y > held.ghost.y) : rows.filter((y) => y < held.ghost.y).reverse();
}

/** Tiles to draw: what dropping now would give, else what is settled. */
export const shownTiles = (state: GridState): Tile[] => state.held?.preview ?? state.tiles;

/** How many other tiles dropping now would move down, compared with what is settled. */
export function pushedDown(state: GridState): number {
  const { held, tiles } = state;
  if (!held) return 0;
  return held.preview.filter(
    (tile) => tile.id !== held.id && tile.y > (tiles.find((old) => old.id === tile.id)?.y ?? tile.y),
  ).length;
}

/** Where an outline is drawn: of a tile at the pointer where it will land, else where it was steered. */
export function outline({ held }: GridState): Box | null {
  if (!held) return null;
  return (held.isCarried && held.preview.find((tile) => tile.id === held.id)) || held.ghost;
}

/** Rows that the grid must show, the outline included. */
export function rowsShown(state: GridState): number {
  const drawn = outline(state);
  return Math.max(bottom(shownTiles(state)), drawn ? drawn.y + drawn.h : 0);
}

const tilePlace = (box: Box) => `column ${box.x + 1}, row ${box.y + 1}, ${box.w} by ${box.h}`;

/** What the live region says after an event. */
export function announcement(before: GridState, after: GridState, event: GridEvent, title: string): string | null {
  if (before === after) return event.type === 'step' ? `${title} can't move further.` : null;
  const held = after.held ?? before.held;
  if (!held) return null;
  const tile = shownTiles(after).find((one) => one.id === held.id);
  if (!tile) return null;
  switch (event.type) {
    case 'lift':
      return event.mode === 'move'
        ? `${title} lifted, ${tilePlace(tile)}. Arrow keys move it, Enter drops it, Escape cancels.`
        : `Resizing ${title}, ${tilePlace(tile)}. Arrow keys change its size, Enter saves it, Escape cancels.`;
    case 'step':
    case 'to': {
      const pushed = pushedDown(after);
      return `${title}, ${tilePlace(tile)}${pushed ? `, pushes ${pushed} ${pushed === 1 ? 'widget' : 'widgets'} down` : ''}`;
    }
    case 'drop':
      return `${title} dropped, ${tilePlace(tile)}.`;
    case 'cancel':
      return `${title} restored,  ${tilePlace(tile)}.`;
    case 'tiles':
      return null;
  }
}
