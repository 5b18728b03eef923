import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

const shownBy = 'teamTimeEnabled';

const ui: FeatureUi = {
  name: 'team-time',
  nav: [{ order: 81, label: 'Team time', icon: 'clock', path: '/team', shownBy }],
  routes: [{ path: '/team', component: lazy(() => import('./TeamPage')), shownBy }],
  commands: [
    {
      id: 'team.open',
      label: 'Team time',
      group: 'Go to',
      icon: 'clock',
      keywords: 'world clock time zones working hours meeting planner teammates',
      path: '/team',
      shownBy,
    },
  ],
};

export default ui;
