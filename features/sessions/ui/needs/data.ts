/** What needs you: the queue, oldest first, and the entry that is open. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { shared } from '@shell/shared';

/** Something that needs you. Its texts come from agents and are shown as plain text. */
export type Need = Schemas['Need'];

/** The query key of the queue. */
export const NEEDS = ['needs'];

/** Everything that needs you, oldest first. */
export const needsQuery = queryOptions({
  queryKey: NEEDS,
  queryFn: ({ signal }) => client.get('/sessions/needs', { signal }).then(({ items }) => items),
});
export const useNeeds = () => useQuery(needsQuery);

/** Takes a session that needs attention out of the queue, as dismissing its inbox row does. */
export function useDismiss() {
  const cache = useQueryClient();
  return async ({ id }: Need) => {
    try {
      await client.post('/inbox/{rowId}/dismiss', { path: { rowId: id } });
    } catch (failure) {
      toast.problem("Couldn't dismiss row", failure);
    } finally {
      void cache.invalidateQueries({ queryKey: NEEDS });
    }
  };
}

/** The button that opens an entry: it shows what there is to decide. */
export const openLabel = ({ kind, askId }: Need): string =>
  kind === 'plan' ? 'Review' : kind === 'approval' ? 'Details' : askId || kind !== 'session' ? 'Answer' : 'Open';

/** Opens an entry in the dialog, or closes the dialog. `useShownNeed` has the id of the entry in it. */
export const { set: showNeed, use: useShownNeed } = shared<string | null>(null);

/** Goes to what needs you: to its page, or where it has none, to the dialog. */
export const goToNeed = ({ id, link }: Pick<Need, 'id' | 'link'>, navigate: (path: string) => void) =>
  link === null ? showNeed(id) : navigate(link);
