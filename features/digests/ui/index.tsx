import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { DIGESTS } from './data';

const ui: FeatureUi = {
  name: 'digests',
  routes: [
    { path: '/digests', component: lazy(() => import('./DigestsPage')) },
    { path: '/digests/:id', component: lazy(() => import('./DigestPage')) },
  ],
  commands: [
    {
      id: 'digests.open',
      label: 'Digests',
      group: 'Go to',
      icon: 'file',
      keywords: 'daily briefing weekly summary archive insights',
      path: '/digests',
    },
  ],
  news: { 'inbox-row-changed': () => [DIGESTS] },
};

export default ui;
