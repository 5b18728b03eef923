import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { FOCUS, HISTORY } from './data';
import { FocusButton } from './FocusButton';
import { Listener } from './Listener';

const ui: FeatureUi = {
  name: 'notifications',
  routes: [{ path: '/notifications', component: lazy(() => import('./HistoryPage')) }],
  commands: [
    {
      id: 'notifications.history',
      label: 'Notification history',
      group: 'Go to',
      icon: 'history',
      keywords: 'why notified chime alerts log sounds mute',
      path: '/notifications',
    },
  ],
  toolbar: FocusButton,
  listener: Listener,
  news: {
    'focus-changed': () => [FOCUS],
    'notification-shown': () => [HISTORY, FOCUS],
    'inbox-row-changed': () => [HISTORY, FOCUS],
  },
};

export default ui;
