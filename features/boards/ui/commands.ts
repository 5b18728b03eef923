import type { Command } from '@shell/feature';
import { useSetting } from '@shell/settings';
import { useBoards } from './data';
import { counted } from './format';

/** Every board of the workspace, for the palette. */
export function useBoardCommands(): Command[] {
  const { data: boards } = useBoards();
  const isOff = useSetting<boolean>('projectBoardsEnabled') === false;
  return (isOff ? [] : (boards ?? [])).map((board) => ({
    id: `boards.board.${board.id}`,
    label: board.name,
    group: 'Boards',
    icon: 'board',
    detail: counted(board.itemCount),
    run: ({ navigate }) => navigate(`/boards/${board.id}`),
  }));
}
