import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { POMODORO } from './data';
import { PomodoroTimer } from './PomodoroTimer';

const ui: FeatureUi = {
  name: 'pomodoro',
  nav: [{ order: 74, label: 'Pomodoro', icon: 'clock', path: '/pomodoro' }],
  routes: [{ path: '/pomodoro', component: lazy(() => import('./PomodoroPage')) }],
  commands: [
    {
      id: 'pomodoro.open',
      label: 'Pomodoro',
      group: 'Go to',
      icon: 'clock',
      keywords: 'focus timer break',
      path: '/pomodoro',
    },
  ],
  toolbar: PomodoroTimer,
  news: { 'pomodoro-changed': () => [POMODORO] },
};

export default ui;
