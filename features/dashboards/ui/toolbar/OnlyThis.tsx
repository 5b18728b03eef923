/** What a category of a chart offers in its table, and in the list of its items: to show only that. */
import { createContext, useContext } from 'react';
import type { ChartCategory } from '@shell/engine/types';

/** Shows only what the category stands for; null where no rule can say that. The page gives it, for each widget its own. */
export const OnlyThis = createContext<(category: ChartCategory) => (() => void) | null>(() => null);

/** It in a row of the table. */
export function OnlyThisButton({ category }: { category: ChartCategory }) {
  const run = useContext(OnlyThis)(category);
  if (!run) return null;
  return (
    <button type="button" className="tile-link only-this" aria-label={`Only ${category.label}`} onClick={run}>
      Only this
    </button>
  );
}
