import { lazy, type ComponentType } from 'react';
import type { FeatureUi } from '@shell/feature';
import { BoardLinks } from './BoardLinks';
import { useHasBoards } from './data';
import { useBoardCommands, useItemsFound } from './commands';

/** A page that the setting projectBoardsEnabled hides. */
const page = (load: () => Promise<{ default: ComponentType }>) =>
  lazy(async () => {
    const [{ gated }, loaded] = await Promise.all([import('./Gate'), load()]);
    return { default: gated(loaded.default) };
  });

const ui: FeatureUi = {
  name: 'boards',
  nav: [
    {
      order: 30,
      label: 'Project boards',
      icon: 'board',
      path: '/boards',
      shownBy: 'projectBoardsEnabled',
      children: BoardLinks,
    },
  ],
  routes: [
    { path: '/boards', component: page(() => import('./BoardsPage')) },
    { path: '/boards/trash', component: page(() => import('./TrashPage')) },
    { path: '/boards/:id/trash', component: page(() => import('./TrashPage')) },
    { path: '/boards/:id', component: page(() => import('./BoardPage')) },
  ],
  commands: [
    {
      id: 'boards.import',
      label: 'Import a file as a board',
      group: 'Commands',
      icon: 'upload',
      keywords: 'csv table spreadsheet',
      shownBy: 'projectBoardsEnabled',
      run: ({ navigate }) => navigate('/boards?import'),
    },
  ],
  firstSteps: {
    order: 20,
    component: lazy(() => import('./FirstBoard')),
    useIsNew: () => {
      const { data, isError } = useHasBoards();
      return isError ? false : data === undefined ? undefined : !data;
    },
  },
  useCommands: useBoardCommands,
  useFound: useItemsFound,
  shortcuts: [{ keys: 'g b', label: 'Go to project boards', path: '/boards' }],
  news: {
    'board-changed': ({ boardId }) => [['boards'], ['trash'], ['board-name', boardId]],
    'board-deleted': () => [['boards'], ['trash'], ['board-links']],
    'board-views-changed': ({ boardId }) => [['board-views', boardId]],
    // A board names its members itself: for the search, for sorting, and in what cells mirror.
    'members-changed': () => [['board']],
  },
};

export default ui;
