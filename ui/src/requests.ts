/** Requests from buttons, which show their own failures. */
import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { toast } from './components';

/**
 * Waits for a request, shows `problem` with the reason if it fails, and loads the queries under `queryKey` again.
 * Returns whether it succeeded.
 */
export function useReported(queryKey: QueryKey) {
  const cache = useQueryClient();
  return async (problem: string, request: Promise<unknown>): Promise<boolean> => {
    try {
      await request;
      return true;
    } catch (failure) {
      toast.problem(problem, failure);
      return false;
    } finally {
      await cache.invalidateQueries({ queryKey });
    }
  };
}
