/** The grid's state in a component: events in, arrangement and announcements out. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Tile } from './layout';
import { announcement, gridReducer, type GridEvent, type GridState } from './reducer';

/** What the grid's component needs. */
export interface GridHandle {
  state: GridState;
  /** The newest thing to say to a screen reader. */
  said: string;
  send: (event: GridEvent) => void;
  /** What is settled, for what is done later than it was drawn. */
  tilesNow: () => Tile[];
}

/** Follows `tiles`; `onArrange` hears of every drop that changed something. */
export function useGrid(
  tiles: Tile[],
  titleOf: (id: string) => string,
  onArrange: (tiles: Tile[]) => void,
): GridHandle {
  const [state, setState] = useState<GridState>({ tiles, held: null });
  const [said, setSaid] = useState('');
  // Events may follow each other faster than React draws; each must see what the one before it did.
  const now = useRef(state);
  const outside = useRef({ titleOf, onArrange });
  useEffect(() => {
    outside.current = { titleOf, onArrange };
  });
  const send = useCallback((event: GridEvent) => {
    const before = now.current;
    const after = gridReducer(before, event);
    const held = after.held ?? before.held;
    const text = held && announcement(before, after, event, outside.current.titleOf(held.id));
    if (text) setSaid(text);
    if (after === before) return;
    now.current = after;
    setState(after);
    if (event.type === 'drop' && before.held && after.tiles !== before.tiles) outside.current.onArrange(after.tiles);
  }, []);
  useLayoutEffect(() => send({ type: 'tiles', tiles }), [send, tiles]);
  const tilesNow = useCallback(() => now.current.tiles, []);
  return { state, said, send, tilesNow };
}
