/**
 * Arithmetic of the grid: twelve columns, rows without end, tiles that never overlap and are pulled up where there is
 * room. Pure, and the same for the pointer, the keyboard and the menu.
 */

/** Columns of the grid. */
export const COLUMNS = 12;
/** Most rows that a tile may take. */
export const ROWS_MAX = 40;
/** The last row that a tile of a stored dashboard keeps: the program stores any. */
const LAST_ROW = 9_999;

/** A place in the grid, in cells from the upper left corner. */
export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A tile and its place. */
export interface Tile extends Box {
  id: string;
}

/** Whether two places share a cell. */
export const overlaps = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Whether two places stand in a common column. */
export const sharesColumn = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w;

/** Reading order: by row, then by column. Names break ties, so that the order never depends on what came first. */
export const byReading = (a: Tile, b: Tile) => a.y - b.y || a.x - b.x || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** The nearest place that lies inside the grid and keeps a smallest size. */
export function fitted(box: Box, min: { w: number; h: number } = { w: 1, h: 1 }): Box {
  const w = clamp(box.w, min.w, COLUMNS);
  const h = clamp(box.h, min.h, ROWS_MAX);
  return { x: clamp(box.x, 0, COLUMNS - w), y: clamp(box.y, 0, LAST_ROW), w, h };
}

/** The row below the lowest tile. */
export const bottom = (tiles: readonly Box[]) => tiles.reduce((low, tile) => Math.max(low, tile.y + tile.h), 0);

const inOrderOf = <T extends Tile>(tiles: readonly T[], settled: readonly T[]): T[] => {
  const byId = new Map(settled.map((tile) => [tile.id, tile]));
  return tiles.map((tile) => byId.get(tile.id) ?? tile);
};

/**
 * Pulls every tile up as far as those before it in reading order let it; answers in the order given. `held` goes before
 * others that begin in its row, because that is where it was put.
 */
export function compacted<T extends Tile>(tiles: readonly T[], held?: string): T[] {
  const settled: T[] = [];
  const order = [...tiles].sort(
    (a, b) => a.y - b.y || Number(b.id === held) - Number(a.id === held) || byReading(a, b),
  );
  for (const tile of order) {
    const above = settled.filter((other) => sharesColumn(tile, other));
    const y = bottom(above);
    settled.push(y === tile.y ? tile : { ...tile, y });
  }
  return inOrderOf(tiles, settled);
}

/** Moves tiles that overlap one before them in reading order down until none does; leaves gaps as they are. */
export function repaired<T extends Tile>(tiles: readonly T[]): T[] {
  const settled: T[] = [];
  for (const tile of [...tiles].sort(byReading)) settled.push(below(tile, settled));
  return inOrderOf(tiles, settled);
}

/**
 * Stored places as they are drawn: none smaller than its kind can be read in, none upon another, and all pulled up where one stands so far
 * below the others that it would be looked for.
 */
export function arranged<T extends Tile>(tiles: readonly T[], minOf: (id: string) => { w: number; h: number }): T[] {
  const drawn = repaired(tiles.map((tile) => ({ ...tile, ...fitted(tile, minOf(tile.id)) })));
  let end = 0;
  for (const tile of [...drawn].sort(byReading)) {
    if (tile.y - end > ROWS_MAX) return compacted(drawn);
    end = Math.max(end, tile.y + tile.h);
  }
  return drawn;
}

function below<T extends Tile>(tile: T, settled: readonly T[]): T {
  let y = tile.y;
  for (;;) {
    const hit = settled.find((other) => overlaps({ ...tile, y }, other));
    if (!hit) return y === tile.y ? tile : { ...tile, y };
    y = hit.y + hit.h;
  }
}

/**
 * Puts `held` down at `box`: whatever stands there moves down, then all are pulled up. The other tiles are first pulled
 * up without the held one, so that the place it leaves closes.
 */
export function dropped(tiles: readonly Tile[], held: string, box: Box): Tile[] {
  const tile = { id: held, ...fitted(box) };
  const others = compacted(tiles.filter((other) => other.id !== held));
  const settled: Tile[] = [tile];
  for (const other of [...others].sort(byReading)) settled.push(below(other, settled));
  return inOrderOf(tiles, compacted(settled, held));
}

/** Where a new tile goes: the first gap that takes it, else below everything. */
export function firstFree(tiles: readonly Tile[], size: { w: number; h: number }): Box {
  const end = bottom(tiles);
  for (let y = 0; y < end; y++) {
    for (let x = 0; x + size.w <= COLUMNS; x++) {
      const box = { x, y, ...size };
      if (!tiles.some((tile) => overlaps(box, tile))) return box;
    }
  }
  return { x: 0, y: end, ...size };
}

/** Whether two arrangements are the same. */
export const sameTiles = (a: readonly Tile[], b: readonly Tile[]) =>
  a.length === b.length &&
  a.every((tile) => {
    const other = b.find((one) => one.id === tile.id);
    return !!other && other.x === tile.x && other.y === tile.y && other.w === tile.w && other.h === tile.h;
  });
