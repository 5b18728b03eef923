/** Dashboards of the workspace that were deleted and can still be brought back. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '@shell/client';
import { Button, Time, toast } from '@shell/components';
import { useWorkspaces } from '@shell/workspace';
import { LISTS } from './data';

/** Key of what was deleted; it begins as the lists' key does, so that both are read again together. */
const DELETED = [...LISTS, 'deleted'] as const;

/** Brings one back and, but where it stands there already, opens it. */
export function useRestore() {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return async (id: string, name: string, isOpen = false) => {
    try {
      await client.post('/dashboards/{dashboardId}/restore', { path: { dashboardId: id } });
      await cache.invalidateQueries({ queryKey: LISTS });
      if (!isOpen) navigate(`/dashboards/${id}`);
      toast.done(`Restored ${name}`);
    } catch (error) {
      toast.problem(`Couldn't restore ${name}`, error);
    }
  };
}

/** The list of them; nothing where there are none. */
export function Deleted() {
  const { current } = useWorkspaces();
  const { data } = useQuery({
    queryKey: [...DELETED, current?.id],
    enabled: !!current,
    queryFn: ({ signal }) => client.get('/dashboards/trash', { query: { workspaceId: current?.id }, signal }),
  });
  const restore = useRestore();
  const [busy, setBusy] = useState<string | null>(null);
  if (!data?.items.length) return null;
  return (
    <section className="dash-deleted" aria-labelledby="dash-deleted-title">
      <h2 id="dash-deleted-title">Deleted</h2>
      <ul>
        {data.items.map(({ id, name, deletedAt }) => (
          <li key={id}>
            <span className="dash-deleted-name">{name}</span>
            <span className="dash-deleted-until">
              Permanently deleted <Time at={deletedAt} isAhead />
            </span>
            <Button
              variant="plain"
              aria-label={`Restore ${name}`}
              isPending={busy === id}
              onPress={async () => {
                setBusy(id);
                await restore(id, name);
                setBusy(null);
              }}
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
