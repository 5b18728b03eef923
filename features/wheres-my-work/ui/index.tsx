import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

const shownBy = 'wheresMyWorkEnabled';

const ui: FeatureUi = {
  name: 'wheres-my-work',
  nav: [{ order: 72, label: "Where's my work", icon: 'branch', path: '/work', shownBy }],
  routes: [{ path: '/work', component: lazy(() => import('./WorkPage')), shownBy: 'wheresMyWorkEnabled' }],
  commands: [
    {
      id: 'work.open',
      label: "Where's my work",
      group: 'Go to',
      icon: 'branch',
      keywords: 'branches stranded review landed merged pull requests lost',
      path: '/work',
      shownBy,
    },
    {
      id: 'work.merge',
      label: 'Merge all ready branches',
      group: 'Go to',
      icon: 'branch',
      keywords: 'land sessions',
      path: '/work?merge',
      shownBy,
    },
  ],
};

export default ui;
