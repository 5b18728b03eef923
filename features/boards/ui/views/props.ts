/** Properties of all views except the table. */
import type { BoardTable } from '../table';
import type { ViewSettings } from './data';
import type { Placing } from './placing';
import type { Moves } from './useMoves';

export interface ViewProps {
  table: BoardTable;
  /** Rows of the view in its order; null for all in the board's. */
  rows: Iterable<number> | null;
  settings: ViewSettings;
  moves: Moves;
  onSettings: (settings: ViewSettings) => void;
  onOpenItem: (item: string, name: string) => void;
}

/** A view that places items by their days. */
export interface DatedViewProps extends ViewProps {
  placing: Placing;
}
