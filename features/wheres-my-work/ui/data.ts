/** Branches of all repositories, and merges of those that are ready: types, queries, and actions. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';

export type WorkPage = Schemas['WorkPage'];
export type WorkBranch = Schemas['WorkBranch'];
export type WorkRepository = Schemas['WorkRepository'];
export type Group = Schemas['WorkGroup'];
export type Merge = Schemas['MergeRun'];
export type BranchMerge = Schemas['BranchMerge'];

/** The start of this feature's query keys. */
export const WORK = ['work'];
/** Pause between requests while branches are checked or merged. */
const AGAIN_MS = 500;

const againMs = ({ state }: { state: { data: WorkPage | undefined } }) =>
  state.data && !state.data.progress.isDone ? AGAIN_MS : false;

/** Counts, repositories, and how far the check is. Loaded again until the check is done. */
export const useWork = (repositoryId: string | null) =>
  useQuery({
    queryKey: [...WORK, 'counts', repositoryId],
    queryFn: ({ signal }) => client.get('/work', { query: { noWait: true, limit: 1, repositoryId }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
    refetchOnWindowFocus: 'always',
  });

/** The newest branches of a group; `count` is how many it has. */
export const useGroup = (group: Group, repositoryId: string | null, count: number, limit: number) =>
  useQuery({
    queryKey: [...WORK, 'group', group, repositoryId, limit, count],
    queryFn: ({ signal }) => client.get('/work', { query: { noWait: true, group, limit, repositoryId }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: againMs,
    refetchOnWindowFocus: 'always',
    enabled: count > 0,
  });

/** Actions on branches. Each shows its failures and reloads the branches. */
export function useBranchActions() {
  const cache = useQueryClient();
  const reload = () => cache.invalidateQueries({ queryKey: WORK });
  const restore = async (body: Schemas['DeletedBranch']) => {
    try {
      await client.post('/work/restore', { body });
      toast.done(`Restored ${body.branch}`);
    } catch (failure) {
      toast.problem(`Couldn't restore ${body.branch}`, failure);
    }
    await reload();
  };
  return {
    /** Checks all repositories now. */
    refresh: async () => {
      try {
        await client.get('/work', { query: { noWait: true, refresh: true, limit: 1 } });
      } catch (failure) {
        toast.problem("Couldn't check branches", failure);
      }
      await reload();
    },
    /** Deletes a landed branch, and offers Undo. */
    remove: async ({ id, branch }: Pick<WorkBranch, 'id' | 'branch'>) => {
      try {
        const deleted = await client.delete('/work/{branchId}', { path: { branchId: id } });
        toast.done(`Deleted ${branch}`, { undo: () => restore(deleted) });
      } catch (failure) {
        toast.problem(`Couldn't delete ${branch}`, failure);
      }
      await reload();
    },
  };
}

const MERGES = [...WORK, 'merges'];

/** The newest merge when the dialog opened, which may still be running. */
export const useLatestMerge = () =>
  useQuery({
    queryKey: [...MERGES, 'latest'],
    queryFn: ({ signal }) =>
      client.get('/work/merges', { query: { limit: 1 }, signal }).then(({ items }) => items[0] ?? null),
    staleTime: Infinity,
    gcTime: 0,
  });

/** What would be merged, and what keeps the others from it. */
export const useMergePreview = (isEnabled: boolean) =>
  useQuery({
    queryKey: [...MERGES, 'preview'],
    queryFn: ({ signal }) => client.get('/work/merges/preview', { signal }).then(({ items }) => items),
    enabled: isEnabled,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

/** A merge, loaded again until it ended. */
export const useMerge = (mergeId: string | null) =>
  useQuery({
    queryKey: [...MERGES, 'one', mergeId],
    queryFn: ({ signal }) => client.get('/work/merges/{mergeId}', { path: { mergeId: mergeId ?? '' }, signal }),
    enabled: mergeId !== null,
    refetchInterval: ({ state }) => (state.data?.endedAt ? false : AGAIN_MS),
  });

/** Starts a merge of these sessions' branches; null if it can't. */
export async function startMerge(sessionIds: string[]): Promise<Merge | null> {
  try {
    return await client.post('/work/merges', { body: { sessionIds } });
  } catch (failure) {
    toast.problem("Couldn't start the merge", failure);
    return null;
  }
}

export async function cancelMerge(mergeId: string): Promise<void> {
  try {
    await client.post('/work/merges/{mergeId}/cancel', { path: { mergeId } });
  } catch (failure) {
    toast.problem("Couldn't cancel the merge", failure);
  }
}
