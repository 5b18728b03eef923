/** What a dashboard remembers of its sprints, day by day: the switch, and the record that the engine is given. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '@shell/client';
import { toast } from '@shell/components';

/** Key of what is remembered, of every dashboard; index.tsx says by what it becomes old. */
export const SNAPSHOTS = ['dashboards', 'snapshots'] as const;

/** What the engine is given of a dashboard's past. */
export interface Past {
  /** The name by which queries ask for it. */
  name: string;
  /** In the engine's form; null where nothing is or was to be remembered. */
  history: unknown;
  /** Whether it is on its way. */
  isLoading: boolean;
}

const pastQuery = (dashboardId: string) => ({
  queryKey: [...SNAPSHOTS, dashboardId, 'history'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    client.get('/dashboards/{dashboardId}/snapshots/history', { path: { dashboardId }, signal }),
  staleTime: Infinity,
});

/** Begins to read it while the dashboard itself is on its way: nothing is computed without it, and behind all boards it would come last. */
export function useEarlyPast(dashboardId: string | null): void {
  const cache = useQueryClient();
  useEffect(() => {
    if (dashboardId !== null) void cache.prefetchQuery(pastQuery(dashboardId));
  }, [cache, dashboardId]);
}

/** What the dashboard remembers. Without it, as where it cannot be read, the past is reckoned. */
export function usePast(dashboardId: string): Past {
  const { data, isPending } = useQuery(pastQuery(dashboardId));
  return { name: dashboardId, history: data?.history ?? null, isLoading: isPending };
}

/** The switch, and how much is remembered. */
export const useSnapshots = (dashboardId: string) =>
  useQuery({
    queryKey: [...SNAPSHOTS, dashboardId, 'state'],
    queryFn: ({ signal }) => client.get('/dashboards/{dashboardId}/snapshots', { path: { dashboardId }, signal }),
  });

/** Switches it, and forgets what is remembered. */
export function useChangeSnapshots(dashboardId: string) {
  const cache = useQueryClient();
  const path = { dashboardId };
  const change = async (act: () => Promise<unknown>, failed: string) => {
    try {
      await act();
    } catch (error) {
      toast.problem(failed, error);
    }
    await cache.invalidateQueries({ queryKey: [...SNAPSHOTS, dashboardId] });
  };
  return {
    set: (on: boolean) =>
      change(
        () => client.put('/dashboards/{dashboardId}/snapshots', { path, body: { on } }),
        on ? "Couldn't turn on daily snapshots" : "Couldn't turn off daily snapshots",
      ),
    forget: () =>
      change(() => client.delete('/dashboards/{dashboardId}/snapshots', { path }), "Couldn't delete snapshots"),
  };
}
