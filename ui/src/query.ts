/** The page's cache of loaded data. */
import {
  hashKey,
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';
import { ApiError } from './api';

/**
 * The library breaks off a reading to begin it anew when what it reads changes, so that steady news would keep every answer
 * away; and it takes a first answer for new, although it may have been made before. Here news leaves a reading alone: its
 * answer is shown, and then it is read once more, however much news came meanwhile.
 */
class Cache extends QueryClient {
  private readonly late = new Set<Query>();

  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const again = async (query: Query) => {
      this.late.add(query);
      await query.promise?.catch(() => {});
      this.late.delete(query);
      await super.invalidateQueries({ predicate: (one) => one === query }, { ...options, cancelRefetch: false });
    };
    const found = this.getQueryCache().findAll(filters);
    // Queries without a response are canceled silently and retried now.
    const isRetried = (query: Query) =>
      query.isActive() && query.state.fetchStatus === 'fetching' && query.state.fetchFailureCount > 0;
    const retried = new Set(found.filter(isRetried));
    for (const query of retried) void query.cancel({ silent: true });
    const underWay = found.filter((query) => query.promise && !retried.has(query) && !this.late.has(query));
    await Promise.all([super.invalidateQueries(filters, { ...options, cancelRefetch: false }), ...underWay.map(again)]);
  }
}

/** Pause after a response before an invalidated query is reloaded. */
const GAP_MS = 500;

const waiting = new WeakMap<QueryClient, Map<string, { again: boolean }>>();

/**
 * Tells that what was read under `key` is old, which may be said many times a second: it is read at once where it is shown,
 * and then once more after that answer and a pause if it was said again meanwhile.
 */
export function outdate(client: QueryClient, key: QueryKey): void {
  const keys = waiting.get(client) ?? new Map<string, { again: boolean }>();
  waiting.set(client, keys);
  const hash = hashKey(key);
  const before = keys.get(hash);
  if (before) return void (before.again = true);
  const state = { again: true };
  keys.set(hash, state);
  const read = async () => {
    while (state.again) {
      state.again = false;
      await client.invalidateQueries({ queryKey: key });
      await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    }
    keys.delete(hash);
  };
  void read();
}

/** Creates a cache. The page has one, and each test its own. */
export const makeQueryClient = () =>
  new Cache({
    defaultOptions: {
      queries: {
        // Pilothouse runs on this computer, so it can be reached without a network.
        networkMode: 'always',
        // Live events update visible data. Refetching covers the rest.
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        // Only requests without a response are retried: rejected ones stay rejected.
        retry: (failures, error) =>
          failures < 5 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (failure) => Math.min(500 * 2 ** failure, 8000),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
