import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { BookmarksButton } from './BookmarksButton';
import { BOOKMARKS, useOpenCommands } from './data';

const ui: FeatureUi = {
  name: 'bookmarks',
  routes: [{ path: '/bookmarks', component: lazy(() => import('./BookmarksPage')), shownBy: 'showBookmarksInToolbar' }],
  commands: [
    {
      id: 'bookmarks.page',
      label: 'Bookmarks',
      group: 'Go to',
      icon: 'bookmark',
      keywords: 'favorites links saved edit folders',
      path: '/bookmarks',
      shownBy: 'showBookmarksInToolbar',
    },
  ],
  useCommands: useOpenCommands,
  toolbar: BookmarksButton,
  news: { 'bookmarks-changed': () => [BOOKMARKS] },
};

export default ui;
