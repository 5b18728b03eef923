/** Workspaces of the account, and the one in view. */
import { useQuery } from '@tanstack/react-query';
import { api } from './api';
import { usePreference } from './preferences';

/** A set of boards and dashboards. */
export interface Workspace {
  id: string;
  name: string;
}

/** Key of the query. */
export const WORKSPACES_QUERY = ['workspaces'] as const;

/** All workspaces, and the one in view: the last chosen here, else the first. */
export function useWorkspaces() {
  const query = useQuery({
    queryKey: WORKSPACES_QUERY,
    queryFn: ({ signal }) => api.get<{ items: Workspace[] }>('/workspaces', { signal }).then((list) => list.items),
  });
  const [chosen, choose] = usePreference('workspace');
  const current = query.data?.find((workspace) => workspace.id === chosen) ?? query.data?.[0];
  return { ...query, current, choose };
}
