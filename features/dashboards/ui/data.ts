/** Dashboards of the workspace: list, make, rename, delete. The one in view is the draft's (draft/useDraft.ts). */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { useMaking } from '@shell/making';
import { useWorkspaces } from '@shell/workspace';
import { emptyConfig } from './model';

/** What lists show of a dashboard. */
export type DashboardSummary = Omit<Schemas['ListedDashboard'], 'config'>;

/** Key of the lists, of every workspace. */
export const LISTS = ['dashboards', 'list'] as const;
/** Name of a new dashboard until the person types one. */
export const NEW_NAME = 'New dashboard';

/** Largest page of a list that the program sends. */
const PAGE = 1_000;

async function readDashboards(workspaceId: string | undefined, signal: AbortSignal): Promise<DashboardSummary[]> {
  const dashboards: DashboardSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.get('/dashboards', { query: { workspaceId, limit: PAGE, brief: true, cursor }, signal });
    dashboards.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return dashboards;
}

/** The dashboards of the workspace in view. */
export function useDashboards() {
  const { current } = useWorkspaces();
  return useQuery({
    queryKey: [...LISTS, current?.id],
    enabled: !!current,
    queryFn: ({ signal }) => readDashboards(current?.id, signal),
  });
}

/** Makes a dashboard and opens it with its name ready to be typed. */
export function useCreateDashboard() {
  const cache = useQueryClient();
  const { isMaking, make } = useMaking('dashboard');
  const create = async () => {
    try {
      await make(async (workspaceId) => {
        const record = await client.post('/dashboards', { body: { workspaceId, name: NEW_NAME, config: emptyConfig() } });
        cache.setQueryData([...LISTS, workspaceId], (old: DashboardSummary[] | undefined) => (old ? [...old.filter((one) => one.id !== record.id), record] : old));
        return [`/dashboards/${record.id}`, { state: { rename: true } }];
      });
    } catch (error) {
      toast.problem('The dashboard was not created', error);
    }
  };
  return { create, isMaking };
}
