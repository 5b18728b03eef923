/** Finds the pages of all features. Nothing else in the shell names a feature. */
import type { FeatureUi } from './feature';

const modules = import.meta.glob<{ default: FeatureUi }>('../../features/*/ui/index.tsx', { eager: true });

/** Every feature's part of the UI, by name. */
export const features: readonly FeatureUi[] = Object.values(modules)
  .map((module) => module.default)
  .sort((a, b) => a.name.localeCompare(b.name));
