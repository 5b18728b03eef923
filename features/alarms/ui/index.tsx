import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

const ui: FeatureUi = {
  name: 'alarms',
  nav: [{ order: 90, label: 'Alarms', icon: 'board', path: '/alarms' }],
  routes: [{ path: '/alarms', component: lazy(() => import('./AlarmsPage')) }],
};

export default ui;
