import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { SCHEDULED } from './data';

const shownBy = 'scheduledMessagesEnabled';

const ui: FeatureUi = {
  name: 'scheduled-messages',
  nav: [{ order: 73, label: 'Scheduled messages', icon: 'calendar', path: '/scheduled-messages', shownBy }],
  routes: [{ path: '/scheduled-messages', component: lazy(() => import('./MessagesPage')), shownBy }],
  commands: [
    {
      id: 'scheduled-messages.open',
      label: 'Scheduled messages',
      group: 'Go to',
      icon: 'calendar',
      keywords: 'cron reminders recurring jobs',
      path: '/scheduled-messages',
      shownBy,
    },
  ],
  rowBodies: {
    'scheduled-message': lazy(() => import('./MessageBody')),
    'cron-approval': lazy(() => import('./ApprovalBody')),
  },
  news: { 'scheduled-messages-changed': () => [SCHEDULED] },
};

export default ui;
