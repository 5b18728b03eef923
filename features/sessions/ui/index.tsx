import { lazy } from 'react';
import type { FeatureUi } from '@shell/feature';
import { SESSIONS } from './data';
import * as board from './board';
import { useFinalCommand } from './final/useFinalMessage';
import { AutoInbox } from './needs/AutoInbox';
import { NEEDS } from './needs/data';
import { NeedsListener } from './needs/NeedsListener';
import { NeedsTop } from './needs/NeedsTop';
import { useSessionCommands, useSessionsFound } from './palette';
import { RenameAnywhere } from './RenameAnywhere';
import { SessionLinks } from './SessionLinks';

function Listeners() {
  return (
    <>
      <board.listener />
      <NeedsListener />
      <AutoInbox />
      <RenameAnywhere />
    </>
  );
}

const useCommands = () => [...useSessionCommands(), useFinalCommand()];

const ui: FeatureUi = {
  name: 'sessions',
  nav: [
    { order: 20, label: 'Sessions', icon: 'session', path: '/sessions', children: SessionLinks },
    { order: 85, label: 'Ask', icon: 'info', path: '/ask', place: 'foot', shownBy: 'askAppEnabled' },
  ],
  routes: [
    { path: '/sessions', component: lazy(() => import('./SessionsPage')) },
    { path: '/ask', component: lazy(() => import('./ask/AskPage')), shownBy: 'askAppEnabled' },
    { path: '/hubs', component: lazy(() => import('./hubs/HubsPage')) },
    { path: '/engines', component: lazy(() => import('./EnginesPage')) },
    { path: '/sessions/search', component: lazy(() => import('./SearchPage')) },
    { path: '/waiting', component: lazy(() => import('./waiting/WaitingRoom')) },
    ...board.routes,
    { path: '/sessions/:id', component: lazy(() => import('./SessionPage')) },
  ],
  commands: [
    {
      id: 'sessions.open',
      label: 'Sessions',
      group: 'Go to',
      icon: 'session',
      keywords: 'agents conversations hubs',
      path: '/sessions',
    },
    {
      id: 'sessions.new',
      label: 'Start a session',
      group: 'Commands',
      icon: 'plus',
      keywords: 'agent prompt new',
      run: ({ navigate }) => navigate('/sessions?new='),
    },
    {
      id: 'sessions.ask',
      label: 'Ask about Pilothouse',
      group: 'Commands',
      icon: 'info',
      keywords: 'help tutor how documentation question',
      path: '/ask',
      shownBy: 'askAppEnabled',
    },
    {
      id: 'sessions.hubs',
      label: 'Hubs',
      group: 'Go to',
      icon: 'folder',
      keywords: 'folders repositories add rename remove',
      run: ({ navigate }) => navigate('/hubs'),
    },
    {
      id: 'sessions.engines',
      label: 'Engines',
      group: 'Go to',
      icon: 'session',
      keywords: 'assistants install login practice',
      run: ({ navigate }) => navigate('/engines'),
    },
    {
      id: 'sessions.rules',
      label: 'Permission rules',
      group: 'Go to',
      icon: 'check',
      keywords: 'always allow approve',
      run: ({ navigate }) => navigate('/engines'),
    },
    {
      id: 'sessions.waiting',
      label: 'Waiting room',
      group: 'Go to',
      icon: 'clock',
      keywords: 'next session that needs you idle',
      path: '/waiting',
    },
    {
      id: 'sessions.search',
      label: 'Search transcripts',
      group: 'Go to',
      icon: 'search',
      keywords: 'find words sessions conversations',
      run: ({ navigate }) => navigate('/sessions/search'),
    },
    ...board.commands,
  ],
  useCommands,
  useFound: useSessionsFound,
  tools: board.tools,
  sidebarTop: NeedsTop,
  listener: Listeners,
  firstSteps: board.firstSteps,
  requestCard: lazy(() => import('./needs/RequestCard')),
  shortcuts: [{ keys: 'g a', label: 'Go to sessions', path: '/sessions' }],
  news: { 'session-changed': () => [SESSIONS, NEEDS], 'inbox-row-changed': () => [NEEDS] },
};

export default ui;
