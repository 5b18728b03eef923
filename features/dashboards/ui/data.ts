/** Dashboards of the workspace: list, make, rename, delete. The one in view is the draft's (draft/useDraft.ts). */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from '@shell/api';
import { toast } from '@shell/components';
import { useWorkspaces } from '@shell/workspace';
import { emptyConfig, type DashboardRecord } from './model';

/** What lists show of a dashboard. */
export type DashboardSummary = Pick<DashboardRecord, 'id' | 'name' | 'revision' | 'updatedAt'>;

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
    const page = await api.get<{ items: DashboardSummary[]; nextCursor?: string | null }>('/dashboards', { query: { workspaceId, limit: PAGE, cursor }, signal });
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
  const client = useQueryClient();
  const { current } = useWorkspaces();
  const [, navigate] = useLocation();
  return async () => {
    if (!current) return;
    try {
      const record = await api.post<DashboardRecord>('/dashboards', { workspaceId: current.id, name: NEW_NAME, config: emptyConfig() });
      client.setQueryData([...LISTS, current.id], (old: DashboardSummary[] | undefined) => (old ? [...old.filter((one) => one.id !== record.id), record] : old));
      navigate(`/dashboards/${record.id}`, { state: { rename: true } });
    } catch (error) {
      toast.problem('The dashboard was not created', error);
    }
  };
}
