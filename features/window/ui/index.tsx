import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { IsolatedSessions } from './IsolatedSessions';

const ui: FeatureUi = {
  name: 'window',
  routes: [{ path: '/window', component: lazy(() => import('./WindowPage')) }],
  commands: [
    {
      id: 'window.open',
      label: 'Desktop window',
      group: 'Go to',
      icon: 'settings',
      keywords: 'tray icon start at login autostart global keys shortcuts zoom foreground',
      path: '/window',
    },
  ],
  listener: IsolatedSessions,
};

export default ui;
