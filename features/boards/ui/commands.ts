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
