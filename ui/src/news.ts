/** What news makes old, by the events that features name. One listener for the whole page. */
import type { QueryClient } from '@tanstack/react-query';
import type { FeatureUi, NewsIds } from './feature';
import { onEvent } from './live';
import { outdate } from './query';

/** Reads again where it is shown what an event made old, and marks it so where it is not; returns how to stop. */
export function followNews(client: QueryClient, features: readonly Pick<FeatureUi, 'news'>[]): () => void {
  const stops = features
    .flatMap(({ news }) => Object.entries(news ?? {}))
    .map(([name, oldBy]) =>
      onEvent<NewsIds>(name, (ids) => {
        for (const key of oldBy(ids)) outdate(client, key);
      }),
    );
  return () => stops.forEach((stop) => stop());
}
