/** Instruction files: types, queries, and actions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';

export type Hub = Schemas['HubInstructions'];
export type InstructionFile = Schemas['InstructionFile'];
export type Diff = Schemas['InstructionDiff'];

/** The start of this feature's query keys: one event invalidates all of them. */
export const INSTRUCTIONS = ['instruction-files'];

/** Hubs with an instruction file. */
export const useInstructions = () =>
  useQuery({
    queryKey: [...INSTRUCTIONS, 'list'],
    queryFn: ({ signal }) => client.get('/instruction-files', { signal }).then(({ items }) => items),
  });

/** The difference between a file and the copy that would replace it. */
export const useDiff = (hubId: string, name: string) =>
  useQuery({
    queryKey: [...INSTRUCTIONS, 'diff', hubId, name],
    queryFn: ({ signal }) =>
      client.get('/instruction-files/{hubId}/diff', { path: { hubId }, query: { name }, signal }),
  });

/** Decisions of the user. Each shows its failures and reloads the files; true if it was done. */
export function useDecisions({ hubId }: Pick<Hub, 'hubId'>, { name }: Pick<InstructionFile, 'name'>) {
  const cache = useQueryClient();
  const path = { hubId };
  const then = async (done: string, problem: string, request: Promise<unknown>) => {
    try {
      await request;
      toast.done(done);
      return true;
    } catch (failure) {
      toast.problem(problem, failure);
      return false;
    } finally {
      await cache.invalidateQueries({ queryKey: INSTRUCTIONS });
    }
  };
  return {
    replace: (version: string) =>
      then(
        `Replaced ${name}`,
        `Couldn't replace ${name}`,
        client.post('/instruction-files/{hubId}/replace', { path, body: { name, version } }),
      ),
    keep: () =>
      then(
        `Your ${name} stays`,
        `Couldn't keep ${name}`,
        client.post('/instruction-files/{hubId}/keep', { path, body: { name } }),
      ),
    restore: (originalId: string) =>
      then(
        `Restored ${name}`,
        `Couldn't restore ${name}`,
        client.post('/instruction-files/{hubId}/restore', { path, body: { name, originalId } }),
      ),
  };
}
