import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { createNote, NOTES } from './data';

const shownBy = 'stickyNotesEnabled';

const ui: FeatureUi = {
  name: 'sticky-notes',
  nav: [{ order: 78, label: 'Sticky notes', icon: 'edit', path: '/notes', shownBy }],
  routes: [
    { path: '/notes', component: lazy(() => import('./NotesPage')), shownBy },
    { path: '/note/:id', component: lazy(() => import('./NotePage')), shownBy, isBare: true },
  ],
  commands: [
    {
      id: 'notes.open',
      label: 'Sticky notes',
      group: 'Go to',
      icon: 'edit',
      keywords: 'post-it memo desktop',
      path: '/notes',
      shownBy,
    },
    {
      id: 'notes.create',
      label: 'New sticky note',
      group: 'Create',
      icon: 'plus',
      keywords: 'post-it memo desktop',
      shownBy,
      run: async ({ navigate }) => {
        if (await createNote()) navigate('/notes');
      },
    },
  ],
  news: { 'sticky-note-changed': () => [NOTES] },
};

export default ui;
