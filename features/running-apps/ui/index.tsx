import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { APPS } from './data';

const ui: FeatureUi = {
  name: 'running-apps',
  nav: [{ order: 76, label: 'Running apps', icon: 'link', path: '/running-apps', shownBy: 'runningAppsEnabled' }],
  routes: [
    { path: '/running-apps', component: lazy(() => import('./RunningAppsPage')), shownBy: 'runningAppsEnabled' },
  ],
  news: { 'apps-changed': () => [APPS] },
};

export default ui;
