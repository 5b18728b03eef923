/** Pages that are files of their own, loaded before they are asked for. */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A page, and how to load it early. */
export interface PrefetchablePage {
  component: LazyExoticComponent<ComponentType>;
  load: () => Promise<void>;
}

/**
 * `lazy` that is drawn at once where its file is here already. A promise, be it a kept one, is always waited for, and React leaves
 * what it shows meanwhile for 300 ms.
 */
export function prefetchable(load: () => Promise<{ default: ComponentType }>): PrefetchablePage {
  let here: { default: ComponentType } | undefined;
  const loadOnce = async () => (here ??= await load());
  const atOnce = (page: { default: ComponentType }) => ({
    then: (resolve: (page: { default: ComponentType }) => void) => resolve(page),
  });
  return {
    component: lazy(() => (here ? (atOnce(here) as unknown as ReturnType<typeof load>) : loadOnce())),
    load: async () => void (await loadOnce()),
  };
}
