import { expect, it } from 'vitest';
import { features } from './features';

const folders = Object.keys(import.meta.glob('../../features/*/ui/index.tsx')).map((path) => path.split('/').at(-3));

it('finds every feature by its folder', () => {
  expect(features.map((feature) => feature.name).sort()).toEqual([...folders].sort());
});

it('gives each address, each place in the navigation and each key to one feature only', () => {
  const twice = (all: unknown[]) => all.filter((one, at) => all.indexOf(one) !== at);
  expect(twice(features.flatMap((f) => f.routes.map((route) => route.path)))).toEqual([]);
  expect(twice(features.flatMap((f) => (f.nav ?? []).map((entry) => entry.order)))).toEqual([]);
  expect(twice(features.flatMap((f) => (f.shortcuts ?? []).map((shortcut) => shortcut.keys)))).toEqual([]);
  expect(twice(features.flatMap((f) => (f.commands ?? []).map((command) => command.id)))).toEqual([]);
});

it('has a page behind every entry of the navigation', () => {
  const paths = features.flatMap((f) => f.routes.map((route) => route.path));
  for (const entry of features.flatMap((f) => f.nav ?? [])) expect(paths).toContain(entry.path);
});
