/** Workspaces of the account, and the current one. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from './client';
import { usePreference } from './preferences';

/** A set of boards and dashboards. */
export type Workspace = Schemas['Workspace'];

/** Key of the query. */
export const WORKSPACES_QUERY = ['workspaces'] as const;

/** All workspaces, and the current one: the last chosen here, or else the first. */
export function useWorkspaces() {
  const query = useQuery({
    queryKey: WORKSPACES_QUERY,
    queryFn: ({ signal }) => client.get('/workspaces', { signal }).then((list) => list.items),
  });
  const [chosen, choose] = usePreference('workspace');
  const inView = (all: Workspace[] | undefined) => all?.find((workspace) => workspace.id === chosen) ?? all?.[0];
  const current = inView(query.data);
  /** The current workspace, once it is known. Earlier calls wait for it. */
  const known = async (): Promise<Workspace> => {
    const workspace = current ?? inView((await query.refetch({ cancelRefetch: false, throwOnError: true })).data);
    if (!workspace) throw new Error('The account has no workspace.');
    return workspace;
  };
  return { ...query, current, known, choose };
}
