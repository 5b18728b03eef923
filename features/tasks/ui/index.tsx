import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

/** The query of caught tasks. */
const CAUGHT = ['tasks', 'caught'];
const shownBy = 'tasksEnabled';

const ui: FeatureUi = {
  name: 'tasks',
  nav: [{ order: 60, label: 'Tasks', icon: 'task', path: '/tasks', shownBy }],
  routes: [{ path: '/tasks', component: lazy(() => import('./TasksPage')), shownBy: 'tasksEnabled' }],
  commands: [
    {
      id: 'tasks.open',
      label: 'Tasks',
      group: 'Go to',
      icon: 'task',
      keywords: 'to do todo list outline due today upcoming snoozed',
      path: '/tasks',
      shownBy,
    },
    {
      id: 'tasks.add',
      label: 'Add task',
      group: 'Go to',
      icon: 'plus',
      keywords: 'to do todo new',
      path: '/tasks?add',
      shownBy,
    },
    {
      id: 'tasks.caught',
      label: 'Caught tasks',
      group: 'Go to',
      icon: 'task',
      keywords: 'follow-ups suggested sessions ended',
      path: '/tasks?view=caught',
      shownBy,
    },
  ],
  shortcuts: [{ keys: 'g t', label: 'Go to tasks', path: '/tasks' }],
  news: { 'session-changed': () => [['task-session']], 'caught-tasks-changed': () => [CAUGHT] },
};

export default ui;
