/** The Agent Board, the first session, and page requests of agents, as parts of the shell. */
import { lazy } from 'react';
import type { Command, FeatureRoute, FirstSteps, Tool } from '@shell/feature';
import { useNewest } from '../data';
import { Shown } from './Shown';

const PATH = '/agent-board';
const shownBy = 'agentStatusBoardEnabled';

export const tools: Tool[] = [{ label: 'Agent Board', icon: 'kanban', path: PATH, shownBy }];
export const routes: FeatureRoute[] = [{ path: PATH, component: lazy(() => import('./AgentBoardPage')), shownBy }];
export const commands: Command[] = [
  {
    id: 'sessions.board',
    label: 'Agent Board',
    group: 'Go to',
    icon: 'kanban',
    keywords: 'agents live status to-do',
    shownBy,
    run: ({ navigate }) => navigate(PATH),
  },
];
export const listener = Shown;
export const firstSteps: FirstSteps = {
  order: 10,
  component: lazy(() => import('./FirstSession')),
  useIsNew: () => {
    const { data, isError } = useNewest();
    return isError ? false : data === undefined ? undefined : data.length === 0;
  },
};
