import type { Command } from '@shell/feature';
import { useCreateDashboard, useDashboards } from './data';

/** Each dashboard, and making one. */
export function useDashboardCommands(): Command[] {
  const { data } = useDashboards();
  const { create } = useCreateDashboard();
  return [
    {
      id: 'dashboards.create',
      label: 'Create dashboard',
      group: 'Commands',
      icon: 'plus',
      shownBy: 'projectBoardsEnabled',
      run: create,
    },
    ...(data ?? []).map((dashboard): Command => ({
      id: `dashboards.dashboard.${dashboard.id}`,
      label: dashboard.name,
      group: 'Dashboards',
      icon: 'dashboard',
      shownBy: 'projectBoardsEnabled',
      run: ({ navigate }) => navigate(`/dashboards/${dashboard.id}`),
    })),
  ];
}
