import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { DRIP } from './data';

const shownBy = 'dripEnabled';

const ui: FeatureUi = {
  name: 'drip',
  nav: [{ order: 77, label: 'Drip', icon: 'history', path: '/drip', shownBy }],
  routes: [{ path: '/drip', component: lazy(() => import('./DripPage')), shownBy }],
  commands: [
    {
      id: 'drip.open',
      label: 'Drip',
      group: 'Go to',
      icon: 'history',
      keywords: 'queue release reading list',
      path: '/drip',
      shownBy,
    },
  ],
  rowBodies: { drip: lazy(() => import('./RowBody')) },
  news: { 'drip-changed': () => [DRIP] },
};

export default ui;
