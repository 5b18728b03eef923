import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { client } from '@shell/client';
import type { Command } from '@shell/feature';
import { useBoards } from './data';
import { counted } from './format';

/** Every board of the workspace, for the palette. */
export function useBoardCommands(): Command[] {
  const { data: boards } = useBoards();
  return (boards ?? []).map((board) => ({
    id: `boards.board.${board.id}`,
    label: board.name,
    group: 'Boards',
    icon: 'board',
    detail: counted(board.itemCount),
    shownBy: 'projectBoardsEnabled',
    run: ({ navigate }) => navigate(`/boards/${board.id}`),
  }));
}

/** Items that are offered at once. */
const ITEMS_MAX = 20;
const LETTERS_MIN = 2;

/** Items of the open board that have the text in their names, for the palette; chosen, one opens at the side. */
export function useItemsFound(text: string): Command[] {
  const [location] = useLocation();
  const search = useSearch();
  const board = /^\/boards\/(?!trash$)([^/]+)$/.exec(location)?.[1];
  const { data } = useQuery({
    queryKey: ['found', board, text],
    enabled: board !== undefined && text.length >= LETTERS_MIN,
    staleTime: 0,
    queryFn: ({ signal }) => {
      const filters = { v: 1, all: [{ col: { by: 'builtin', name: 'name' }, op: 'contains', value: text }] };
      return client.post('/boards/{boardId}/query', {
        path: { boardId: board! },
        body: { filters, columns: [], limit: ITEMS_MAX },
        signal,
        isReading: true,
      });
    },
  });
  return useMemo(
    () =>
      (data?.items ?? []).map(({ id, name }) => ({
        id: `boards.item.${id}`,
        label: name,
        group: 'Items of this board',
        icon: 'eye',
        shownBy: 'projectBoardsEnabled',
        run: ({ navigate }) => {
          const to = new URLSearchParams(search);
          to.set('item', id);
          navigate(`/boards/${board}?${to}`);
        },
      })),
    [data, board, search],
  );
}
