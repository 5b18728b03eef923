/** Data of formulas, and formulas as displayed. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client, type Exact, type Schemas } from '@shell/client';
import type { CellValue, Column } from '../data';

/** A function, as the help shows it. */
export type FormulaFunction = Schemas['FormulaFunction'];

/** Preview of a formula. */
export type Preview = Exact<
  Schemas['FormulaPreview'],
  { items: Exact<Schemas['FormulaPreviewItem'], { value: CellValue }>[] }
>;

/** Pause in typing before a preview is loaded. */
const PAUSE_MS = 250;

/** The functions of formulas. */
export const useFunctions = () =>
  useQuery({
    queryKey: ['boards', 'functions'],
    staleTime: Infinity,
    queryFn: ({ signal }) => client.get('/boards/formulas', { signal }).then((list) => list.items),
  });

/** The value, once it has stayed the same for a moment. */
function usePaused<T>(value: T): T {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}

const preview = async (
  boardId: string,
  query: { formula?: string; columnId?: string; itemId?: string },
  signal: AbortSignal,
) => (await client.get('/boards/{boardId}/formulas/preview', { path: { boardId }, query, signal })) as Preview;

/** Previews an unsaved formula for the board's first items, or for one. */
export function usePreview(board: string, formula: string, columnId?: string, itemId?: string) {
  const written = usePaused(formula);
  return useQuery({
    queryKey: ['boards', 'formula', board, written, columnId, itemId],
    enabled: written.trim() !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => preview(board, { formula: written, columnId, itemId }, signal),
  });
}

/** Why a cell has no result, asked when someone looks at it. */
export function useReason(board: string, column: Column, item: string, isAsked: boolean): string | undefined {
  const { data } = useQuery({
    queryKey: ['boards', 'formula', board, column.settings.formula, column.id, item, 'reason'],
    enabled: isAsked,
    gcTime: 0,
    queryFn: ({ signal }) => preview(board, { columnId: column.id, itemId: item }, signal),
  });
  return isAsked ? (data?.items[0]?.reason ?? undefined) : undefined;
}

/** A stored formula with the titles of its columns. An id stays where its title is another column's too, or could be none. */
export function withTitles(stored: string, columns: readonly Column[]): string {
  const folded = (title: string) => title.trim().toLowerCase();
  const shown = (id: string) => {
    if (id === 'name') return 'Name';
    const column = columns.find((one) => one.id === id);
    const title = column?.title.trim() ?? '';
    const isClear =
      title !== '' &&
      !/[{}]/.test(title) &&
      title !== 'name' &&
      columns.filter((one) => one.id === title || folded(one.title) === folded(title)).length === 1;
    return isClear ? title : id;
  };
  // A text in quotes is none of it.
  return stored.replace(/"[^"]*"|\{([^{}]*)\}/g, (part, id?: string) => (id === undefined ? part : `{${shown(id)}}`));
}
