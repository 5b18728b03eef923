/** The page's cache of what the program said. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api';

/** A fresh cache; the page has one, each test its own. */
export const makeQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // Live events keep what is shown right; a refetch is for what they do not cover.
        staleTime: 60_000,
        refetchOnWindowFocus: false,
        // What was refused stays refused; only silence is worth asking again.
        retry: (failures, error) => failures < 5 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (failure) => Math.min(500 * 2 ** failure, 8000),
      },
      mutations: { retry: false },
    },
  });
