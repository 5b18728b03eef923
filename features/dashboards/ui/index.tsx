import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { useDashboardCommands } from './commands';
import { DashboardLinks } from './DashboardLinks';

const ui: FeatureUi = {
  name: 'dashboards',
  nav: [{ order: 31, label: 'Dashboards', icon: 'dashboard', path: '/dashboards', shownBy: 'projectBoardsEnabled', children: DashboardLinks }],
  routes: [
    { path: '/dashboards', component: lazy(() => import('./DashboardsPage')) },
    { path: '/dashboards/:id', component: lazy(() => import('./DashboardPage')) },
  ],
  useCommands: useDashboardCommands,
  shortcuts: [{ keys: 'g d', label: 'Go to dashboards', path: '/dashboards' }],
};

export default ui;
