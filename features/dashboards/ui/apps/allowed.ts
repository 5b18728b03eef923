/** Which pages of somebody else's may be shown: the owner says so on this computer, and no config does. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '@shell/api';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';

/** An address that is allowed. */
export type AllowedApp = Schemas['AllowedApp'];

/** Key of the list; index.tsx says by what it becomes old. */
export const ALLOWED = ['dashboards', 'apps'] as const;

/** Another caller than the owner at the page is refused the list already. */
export const isRefused = (error: unknown) => error instanceof ApiError && error.status === 403;

/** The allowed addresses, and what changes them. */
export function useAllowedApps() {
  const cache = useQueryClient();
  const list = useQuery({
    queryKey: ALLOWED,
    queryFn: ({ signal }) => client.get('/dashboards/apps', { signal }),
    retry: (count, error) => !isRefused(error) && count < 2,
  });
  const change = async (act: () => Promise<unknown>, failed: string) => {
    try {
      await act();
    } catch (error) {
      toast.problem(failed, error);
    }
    await cache.invalidateQueries({ queryKey: ALLOWED });
  };
  return {
    list,
    allow: (address: string) =>
      change(() => client.post('/dashboards/apps', { body: { address } }), "Couldn't allow page"),
    forbid: (appId: string) =>
      change(() => client.delete('/dashboards/apps/{appId}', { path: { appId } }), "Couldn't remove permission"),
  };
}
