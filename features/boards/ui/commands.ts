import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { client } from '@shell/client';
import type { Command } from '@shell/feature';
import { useWorkspaces } from '@shell/workspace';
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
    path: `/boards/${board.id}`,
  }));
}

/** Letters from which the server is asked. */
const LETTERS_MIN = 2;

/** Items of all boards of the workspace that have the text in their names; chosen, one opens beside its board. */
export function useItemsFound(text: string): Command[] {
  const [location] = useLocation();
  const search = useSearch();
  const { current } = useWorkspaces();
  const isAsked = current !== undefined && text.length >= LETTERS_MIN;
  const { data } = useQuery({
    queryKey: ['found', current?.id, text],
    enabled: isAsked,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.get('/boards/items/find', { signal, query: { q: text, workspaceId: current?.id } }),
  });
  return useMemo(
    () =>
      (isAsked ? (data?.items ?? []) : []).map((item) => {
        const page = `/boards/${item.boardId}`;
        // On the open board, the view stays.
        const to = new URLSearchParams(location === page ? search : '');
        to.set('item', item.id);
        return {
          id: `boards.item.${item.id}`,
          label: item.name,
          group: 'Items',
          icon: 'eye',
          detail: item.board,
          shownBy: 'projectBoardsEnabled',
          path: `${page}?${to}`,
        };
      }),
    [data, isAsked, location, search],
  );
}
