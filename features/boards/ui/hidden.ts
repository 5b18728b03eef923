/** Shows a message if an added item is hidden by the view's search or filter. */
import { useCallback, useEffect, useRef } from 'react';
import { toast } from '@shell/components';
import { counted } from './format';
import type { ViewRows } from './view';

interface Ways {
  /** Whether the search alone chooses. */
  isSearch: boolean;
  open: (item: string, name: string) => void;
  clear: () => void;
}

/** Returns a function that watches newly added items. */
export function useHiddenAdded(
  { rows, of }: Pick<ViewRows, 'rows' | 'of'>,
  ways: Ways,
): (add: readonly { id: string; name: string }[]) => void {
  const added = useRef(new Map<string, string>());
  const newest = useRef(ways);
  const choosing = useRef(false);
  useEffect(() => {
    newest.current = ways;
    choosing.current = rows !== null;
  });
  useEffect(() => {
    if (!rows || !of) return added.current.clear();
    const hidden: [string, string][] = [];
    const chosen = added.current.size > 0 ? new Set(rows) : null;
    for (const entry of added.current) {
      const row = of.row(entry[0]);
      // The rows were chosen before it was there.
      if (row === undefined) continue;
      added.current.delete(entry[0]);
      if (!chosen?.has(row)) hidden.push(entry);
    }
    const [first] = hidden;
    if (!first) return;
    const { isSearch, open, clear } = newest.current;
    const what = isSearch ? 'search' : 'filter';
    if (hidden.length === 1)
      toast.done(`Added ${first[1]}; the ${what} hides it`, {
        action: { label: 'Show it', run: () => open(...first) },
      });
    else
      toast.done(`Added ${counted(hidden.length)}; the ${what} hides them`, {
        action: { label: isSearch ? 'Clear search' : 'Clear filters', run: clear },
      });
  }, [rows, of]);
  return useCallback((add) => {
    if (choosing.current) for (const { id, name } of add) added.current.set(id, name);
  }, []);
}
