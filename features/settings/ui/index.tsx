import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

const ui: FeatureUi = {
  name: 'settings',
  nav: [{ order: 1000, label: 'Settings', icon: 'settings', path: '/settings', place: 'foot' }],
  routes: [{ path: '/settings', component: lazy(() => import('./SettingsPage')) }],
  shortcuts: [{ keys: 'g s', label: 'Go to settings', path: '/settings' }],
};

export default ui;
