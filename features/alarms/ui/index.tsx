import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { ALARMS, useRingCommands } from './data';
import { RingingAlarms } from './RingingAlarms';

const ui: FeatureUi = {
  name: 'alarms',
  nav: [{ order: 75, label: 'Alarms', icon: 'clock', path: '/alarms', shownBy: 'alarmsEnabled' }],
  routes: [{ path: '/alarms', component: lazy(() => import('./AlarmsPage')), shownBy: 'alarmsEnabled' }],
  useCommands: useRingCommands,
  listener: RingingAlarms,
  news: { 'alarm-changed': () => [ALARMS] },
};

export default ui;
