/** Who is invited to a dashboard. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';

/** Somebody who is invited. */
export type Invited = Schemas['Invited'];
/** What somebody who is invited may do. */
export type Role = Invited['role'];

/** Key of the lists, of every dashboard. */
export const INVITED = ['dashboards', 'invited'] as const;

export const useInvited = (dashboardId: string) =>
  useQuery({
    queryKey: [...INVITED, dashboardId],
    queryFn: ({ signal }) =>
      client.get('/dashboards/{dashboardId}/members', { path: { dashboardId }, signal }).then((list) => list.items),
  });

/** Gives a member a role; null takes the invitation back. */
export function useInvite(dashboardId: string) {
  const cache = useQueryClient();
  return async (memberId: string, name: string, role: Role | null) => {
    const path = { dashboardId, memberId };
    try {
      if (role) await client.put('/dashboards/{dashboardId}/members/{memberId}', { path, body: { role } });
      else await client.delete('/dashboards/{dashboardId}/members/{memberId}', { path });
    } catch (error) {
      toast.problem(role ? `Couldn't invite ${name}` : `Couldn't remove the invitation of ${name}`, error);
    }
    await cache.invalidateQueries({ queryKey: [...INVITED, dashboardId] });
  };
}
