import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { INBOX } from './data';
import { InboxBadge } from './InboxBadge';

const ui: FeatureUi = {
  name: 'inbox',
  nav: [{ order: 10, label: 'Inbox', icon: 'inbox', path: '/inbox', badge: InboxBadge }],
  routes: [{ path: '/inbox', component: lazy(() => import('./InboxPage')) }],
  commands: [
    {
      id: 'inbox.open',
      label: 'Inbox',
      group: 'Go to',
      icon: 'inbox',
      keywords: 'alerts notifications approvals questions',
      path: '/inbox',
    },
  ],
  shortcuts: [{ keys: 'g i', label: 'Go to the inbox', path: '/inbox' }],
  news: { 'inbox-row-changed': () => [INBOX] },
};

export default ui;
