/** The page's cache of what the program said. */
import { QueryClient, type InvalidateOptions, type InvalidateQueryFilters, type Query, type QueryKey } from '@tanstack/react-query';
import { ApiError } from './api';

/**
 * The library takes the answer to a first question for new, although it may have been made before what invalidates it
 * happened. Here the question is asked again once that answer is there: not in its place, or steady news would keep every
 * answer away.
 */
class Cache extends QueryClient {
  private readonly late = new Set<Query>();

  override async invalidateQueries<Key extends QueryKey = QueryKey>(filters?: InvalidateQueryFilters<Key>, options?: InvalidateOptions): Promise<void> {
    const again = async (query: Query) => {
      this.late.add(query);
      await query.promise?.catch(() => {});
      this.late.delete(query);
      await super.invalidateQueries({ predicate: (one) => one === query }, options);
    };
    const first = this.getQueryCache()
      .findAll(filters)
      .filter((query) => query.state.data === undefined && query.state.fetchStatus !== 'idle' && query.promise && !this.late.has(query));
    await Promise.all([super.invalidateQueries(filters, options), ...first.map(again)]);
  }
}

/** A fresh cache; the page has one, each test its own. */
export const makeQueryClient = () =>
  new Cache({
    defaultOptions: {
      queries: {
        // The program is on this machine: without a network it answers all the same.
        networkMode: 'always',
        // Live events keep what is shown right; a refetch is for what they do not cover.
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        // What was refused stays refused; only silence is worth asking again.
        retry: (failures, error) => failures < 5 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (failure) => Math.min(500 * 2 ** failure, 8000),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
