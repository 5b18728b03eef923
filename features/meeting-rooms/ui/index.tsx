import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { ROOMS, useJoinCommands } from './data';
import { RoomKeys } from './RoomKeys';

const ui: FeatureUi = {
  name: 'meeting-rooms',
  nav: [{ order: 79, label: 'Meeting rooms', icon: 'video', path: '/rooms', shownBy: 'meetingRoomsEnabled' }],
  routes: [{ path: '/rooms', component: lazy(() => import('./RoomsPage')), shownBy: 'meetingRoomsEnabled' }],
  useCommands: useJoinCommands,
  listener: RoomKeys,
  news: { 'rooms-changed': () => [ROOMS] },
};

export default ui;
