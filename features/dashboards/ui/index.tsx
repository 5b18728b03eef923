import { lazy } from 'react';
import type { FeatureUi, NewsIds } from '@shell/feature';
import { ALLOWED } from './apps/allowed';
import { useDashboardCommands } from './commands';
import { DashboardLinks } from './DashboardLinks';
import { INVITED } from './invite/data';
import { PUBLICATION } from './publish/data';
import { dashboardPage } from './ready';
import { SNAPSHOTS } from './snapshots/data';

/** A board is listed, described, and counted. */
const byBoard = ({ boardId }: NewsIds) => [
  ['dashboards', 'boards'],
  ['dashboards', 'board', boardId],
  ['dashboards', 'items', boardId],
];

const ui: FeatureUi = {
  name: 'dashboards',
  nav: [
    {
      order: 31,
      label: 'Dashboards',
      icon: 'dashboard',
      path: '/dashboards',
      shownBy: 'projectBoardsEnabled',
      children: DashboardLinks,
    },
  ],
  routes: [
    { path: '/dashboards', component: lazy(() => import('./DashboardsPage')) },
    { path: '/dashboards/:id', component: dashboardPage.component },
  ],
  useCommands: useDashboardCommands,
  shortcuts: [{ keys: 'g d', label: 'Go to dashboards', path: '/dashboards' }],
  news: {
    'board-changed': byBoard,
    'board-deleted': byBoard,
    'dashboard-changed': () => [['dashboards', 'list'], INVITED, SNAPSHOTS],
    'dashboard-publication-changed': ({ dashboardId }) => [[...PUBLICATION, dashboardId]],
    'dashboard-apps-changed': () => [ALLOWED],
  },
};

export default ui;
