import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { Upcoming } from './Upcoming';

const shownBy = 'calendarEnabled';

const ui: FeatureUi = {
  name: 'calendar',
  nav: [{ order: 40, label: 'Calendar', icon: 'calendar', path: '/calendar', shownBy, children: Upcoming }],
  routes: [{ path: '/calendar', component: lazy(() => import('./CalendarPage')), shownBy }],
  commands: [
    {
      id: 'calendar.open',
      label: 'Calendar',
      group: 'Go to',
      icon: 'calendar',
      keywords: 'events agenda schedule meetings month week day',
      path: '/calendar',
      shownBy,
    },
    {
      id: 'calendar.new',
      label: 'New event',
      group: 'Go to',
      icon: 'plus',
      keywords: 'calendar meeting appointment create',
      path: '/calendar?new',
      shownBy,
    },
  ],
  shortcuts: [{ keys: 'g c', label: 'Go to calendar', path: '/calendar' }],
  news: {
    'calendar-changed': () => [['calendar']],
    // Boards' dates are a layer.
    'board-changed': () => [['calendar', 'events']],
  },
};

export default ui;
