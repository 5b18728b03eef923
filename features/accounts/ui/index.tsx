import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';

const ui: FeatureUi = {
  name: 'accounts',
  nav: [{ order: 80, label: 'Members', icon: 'people', path: '/members' }],
  routes: [{ path: '/members', component: lazy(() => import('./MembersPage')) }],
  commands: [
    {
      id: 'members.add',
      label: 'Add a member',
      group: 'Commands',
      icon: 'people',
      keywords: 'person people colleague team',
      run: ({ navigate }) => navigate('/members?add'),
    },
  ],
  shortcuts: [{ keys: 'g m', label: 'Go to members', path: '/members' }],
  news: { 'members-changed': () => [['members']] },
};

export default ui;
