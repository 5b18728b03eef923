import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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

it('lets no feature style what another one calls the same', () => {
  const sheets = Object.keys(import.meta.glob('../../features/*/ui/**/*.css'));
  const styledBy = new Map<string, Set<string>>();
  for (const path of sheets) {
    const feature = path.split('/')[3]!;
    const bare = readFileSync(resolve(fileURLToPath(import.meta.url), '..', path), 'utf8').replace(
      /\/\*[^]*?\*\//g,
      '',
    );
    // What begins a selector; what stands below something of the feature's own is its own matter.
    for (const [, selectors] of bare.matchAll(/([^{};]+)\{/g)) {
      for (const selector of selectors!.split(',')) {
        const name = /^\.([\w-]+)/.exec(selector.trim())?.[1];
        if (name) styledBy.set(name, (styledBy.get(name) ?? new Set()).add(feature));
      }
    }
  }
  expect(styledBy.size).toBeGreaterThan(100);
  expect(
    [...styledBy]
      .filter(([, features]) => features.size > 1)
      .map(([name, features]) => `.${name}: ${[...features].join(', ')}`),
  ).toEqual([]);
});
