import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { STATS } from './data';

const ui: FeatureUi = {
  name: 'analytics',
  routes: [{ path: '/inbox/stats', component: lazy(() => import('./StatsPage')) }],
  commands: [
    {
      id: 'analytics.inbox',
      label: 'Inbox stats',
      group: 'Go to',
      icon: 'chart',
      keywords: 'statistics waiting time pile-up analytics',
      path: '/inbox/stats',
    },
  ],
  news: { 'inbox-row-changed': () => [STATS] },
};

export default ui;
