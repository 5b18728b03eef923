/** Workspaces of the account, and the one in view. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from './client';
import { usePreference } from './preferences';

/** A set of boards and dashboards. */
export type Workspace = Schemas['Workspace'];

/** Key of the query. */
export const WORKSPACES_QUERY = ['workspaces'] as const;

/** All workspaces, and the one in view: the last chosen here, else the first. */
export function useWorkspaces() {
  const query = useQuery({
    queryKey: WORKSPACES_QUERY,
    queryFn: ({ signal }) => client.get('/workspaces', { signal }).then((list) => list.items),
  });
  const [chosen, choose] = usePreference('workspace');
  const current = query.data?.find((workspace) => workspace.id === chosen) ?? query.data?.[0];
  return { ...query, current, choose };
}
