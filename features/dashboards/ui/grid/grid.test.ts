import { describe, expect, it } from 'vitest';
import {
  arranged,
  COLUMNS,
  compacted,
  dropped,
  firstFree,
  fitted,
  overlaps,
  repaired,
  sameTiles,
  type Tile,
} from './layout';
import {
  announcement,
  gridReducer,
  outline,
  pushedDown,
  rowsShown,
  shownTiles,
  type Direction,
  type GridEvent,
  type GridState,
} from './reducer';

const tile = (id: string, x: number, y: number, w: number, h: number): Tile => ({ id, x, y, w, h });
const min = { w: 2, h: 2 };
const at = (state: GridState, id: string) => {
  const found = shownTiles(state).find((one) => one.id === id);
  return found && [found.x, found.y, found.w, found.h];
};
const run = (tiles: Tile[], ...events: GridEvent[]) => events.reduce(gridReducer, { tiles, held: null } as GridState);
const lift = (id: string, mode: 'move' | 'resize' = 'move'): GridEvent => ({ type: 'lift', id, mode, min });
const step = (direction: Direction, steps = 1): GridEvent => ({ type: 'step', direction, steps });
const drop: GridEvent = { type: 'drop' };

/** Small numbers that look random and are the same on each run. */
function* numbers(seed: number): Generator<number> {
  for (let n = seed; ;) {
    n = (n * 1103515245 + 12345) % 2147483648;
    yield n;
  }
}

function randomTiles(seed: number): Tile[] {
  const source = numbers(seed);
  const below = (end: number) => (source.next().value as number) % end;
  return Array.from({ length: 1 + below(12) }, (_, i) => ({
    id: `t${i}`,
    ...fitted({ x: below(12), y: below(20), w: 1 + below(12), h: 1 + below(6) }),
  }));
}

const free = (tiles: readonly Tile[]) => tiles.every((a, i) => tiles.every((b, j) => i === j || !overlaps(a, b)));
const inside = (tiles: readonly Tile[]) => tiles.every((t) => t.x >= 0 && t.y >= 0 && t.x + t.w <= COLUMNS);

describe('arithmetic', () => {
  it('never lets tiles overlap or leave the grid, whatever is dropped where', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const tiles = repaired(randomTiles(seed));
      expect(free(tiles) && inside(tiles)).toBe(true);
      const pulled = compacted(tiles);
      expect(free(pulled) && inside(pulled)).toBe(true);
      expect(compacted(pulled)).toEqual(pulled);
      const source = numbers(seed + 1000);
      const box = { x: (source.next().value as number) % 14, y: (source.next().value as number) % 30, w: 3, h: 3 };
      const after = dropped(tiles, 't0', box);
      expect(free(after) && inside(after) && after.length === tiles.length).toBe(true);
      expect(compacted(after)).toEqual(after);
      expect(after.map((t) => t.id)).toEqual(tiles.map((t) => t.id));
    }
  });

  it('repairs overlaps the same way whatever order they are stored in', () => {
    const tiles = [tile('a', 0, 0, 4, 4), tile('b', 2, 1, 4, 4), tile('c', 0, 0, 4, 2)];
    const one = repaired(tiles);
    const two = repaired([...tiles].reverse());
    expect(sameTiles(one, two)).toBe(true);
    expect(one.map((t) => [t.id, t.y])).toEqual([
      ['a', 0],
      ['b', 6],
      ['c', 4],
    ]);
  });

  it('draws what is stored far below or too small where it can be seen, and leaves small gaps', () => {
    const none = () => ({ w: 1, h: 1 });
    const near = [tile('a', 0, 0, 4, 3), tile('b', 0, 20, 4, 3)];
    expect(arranged(near, none)).toEqual(near);
    expect(arranged([tile('a', 0, 2, 4, 3), tile('b', 0, 1_000_000, 4, 3)], none)).toEqual([
      tile('a', 0, 0, 4, 3),
      tile('b', 0, 3, 4, 3),
    ]);
    expect(arranged([tile('a', 11, 0, 1, 1), tile('b', 10, 1, 1, 1)], () => min)).toEqual([
      tile('a', 10, 0, 2, 2),
      tile('b', 10, 2, 2, 2),
    ]);
  });

  it('finds the first gap for a new tile', () => {
    const tiles = [tile('a', 0, 0, 4, 3), tile('b', 8, 0, 4, 6)];
    expect(firstFree(tiles, { w: 4, h: 3 })).toEqual({ x: 4, y: 0, w: 4, h: 3 });
    expect(firstFree(tiles, { w: 12, h: 2 })).toEqual({ x: 0, y: 6, w: 12, h: 2 });
  });
});

describe('lift, steer, drop', () => {
  const three = [tile('a', 0, 0, 4, 3), tile('b', 0, 3, 4, 3), tile('c', 0, 6, 4, 2)];

  it('one arrow down takes a tile past its neighbor, although it is pulled up after each step', () => {
    const state = run(three, lift('a'), step('down'));
    expect(at(state, 'a')).toEqual([0, 3, 4, 3]);
    expect(at(state, 'b')).toEqual([0, 0, 4, 3]);
    expect(at(run(three, lift('a'), step('down'), step('down')), 'a')).toEqual([0, 5, 4, 3]);
    expect(at(run(three, lift('a'), step('down', 4), drop), 'a')).toEqual([0, 5, 4, 3]);
  });

  it('every arrow down or up changes what is seen until nothing is left to change', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const tiles = compacted(repaired(randomTiles(seed)));
      let state = run(tiles, lift('t0'));
      for (const direction of ['down', 'up'] as const) {
        for (let i = 0; i < 60; i++) {
          const next = gridReducer(state, step(direction));
          if (next === state) break;
          expect(sameTiles(shownTiles(next), shownTiles(state))).toBe(false);
          state = next;
          expect(i).toBeLessThan(59);
        }
      }
    }
  });

  it('moves sideways a column at a time, four with Shift, and stops at the edges', () => {
    expect(at(run(three, lift('a'), step('right')), 'a')).toEqual([1, 0, 4, 3]);
    expect(at(run(three, lift('a'), step('right', 4), drop), 'a')).toEqual([4, 0, 4, 3]);
    const edge = run(three, lift('a'), step('right', 40));
    expect(at(edge, 'a')).toEqual([8, 0, 4, 3]);
    expect(gridReducer(edge, step('right'))).toBe(edge);
  });

  it('goes back on Escape and changes nothing', () => {
    const start: GridState = { tiles: three, held: null };
    const state = run(three, lift('a'), step('down'), step('right'), { type: 'cancel' });
    expect(state).toEqual(start);
  });

  it('resizes within the smallest size and the right edge', () => {
    expect(at(run(three, lift('a', 'resize'), step('left', 9), step('up', 9), drop), 'a')).toEqual([0, 0, 2, 2]);
    expect(at(run(three, lift('a', 'resize'), step('right', 20), step('down'), drop), 'a')).toEqual([0, 0, 12, 4]);
    expect(at(run(three, lift('a', 'resize'), step('down'), drop), 'b')).toEqual([0, 4, 4, 3]);
  });

  it('the pointer goes the same way', () => {
    const byKeys = run(three, lift('a'), step('down'), drop);
    const byPointer = run(three, lift('a'), { type: 'to', box: { x: 0, y: 3, w: 4, h: 3 } }, drop);
    expect(byPointer).toEqual(byKeys);
  });

  it('the outline is where a tile at the pointer will land, and where the keys steered one', () => {
    const below: GridEvent = { type: 'to', box: { x: 0, y: 20, w: 4, h: 3 } };
    const carried = run(three, { ...lift('a'), isCarried: true } as GridEvent, below);
    expect(outline(carried)).toMatchObject({ x: 0, y: 5, w: 4, h: 3 });
    expect(rowsShown(carried)).toBe(8);
    const steered = run(three, lift('a'), below);
    expect(outline(steered)).toEqual({ x: 0, y: 20, w: 4, h: 3 });
    expect(rowsShown(steered)).toBe(23);
    expect(outline(gridReducer(carried, drop))).toBeNull();
  });

  it('lifting and dropping at once changes nothing', () => {
    expect(run(three, lift('b'), drop).tiles).toBe(three);
    expect(run(three, lift('b'), { type: 'to', box: { x: 0, y: 3, w: 4, h: 3 } }, drop).tiles).toEqual(three);
  });

  it('lets go of a tile that someone else removed and keeps one that they left', () => {
    const held = run(three, lift('a'), step('down'));
    expect(gridReducer(held, { type: 'tiles', tiles: three.slice(1) }).held).toBeNull();
    const kept = gridReducer(held, { type: 'tiles', tiles: three.slice(0, 2) });
    expect(at(kept, 'a')).toEqual([0, 3, 4, 3]);
  });

  it('says what happens', () => {
    const start: GridState = { tiles: three, held: null };
    const lifted = gridReducer(start, lift('b'));
    expect(announcement(start, lifted, lift('b'), 'Costs')).toBe(
      'Costs lifted, column 1, row 4, 4 by 3. Arrow keys move it, Enter drops it, Escape cancels.',
    );
    const up = gridReducer(lifted, step('up'));
    expect(pushedDown(up)).toBe(1);
    expect(announcement(lifted, up, step('up'), 'Costs')).toBe('Costs, column 1, row 1, 4 by 3, pushes 1 widget down');
    expect(announcement(up, gridReducer(up, step('up')), step('up'), 'Costs')).toBe("Costs can't move further.");
    expect(announcement(up, gridReducer(up, drop), drop, 'Costs')).toBe('Costs dropped, column 1, row 1, 4 by 3.');
    const cancel: GridEvent = { type: 'cancel' };
    expect(announcement(up, gridReducer(up, cancel), cancel, 'Costs')).toBe(
      'Costs restored,  column 1, row 4, 4 by 3.',
    );
  });
});
