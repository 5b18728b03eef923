/** The commands that are always the same: the sidebar's pages, those of all features, and the shell's own. */
import type { Command } from '../feature';
import { features } from '../features';
import { chooseTheme } from '../preferences';

const goKeys = new Map(features.flatMap((feature) => feature.shortcuts ?? []).map((go) => [go.path, go.keys]));
const given = features.flatMap((feature) => feature.commands ?? []);

/** The sidebar's pages, each with the words of the command for the same page. */
const pages: Command[] = features
  .flatMap((feature) => feature.nav ?? [])
  .sort((a, b) => a.order - b.order)
  .map(({ path, label, icon, shownBy }) => {
    const keys = goKeys.get(path);
    const same = given.filter((command) => command.path === path);
    return {
      id: `go:${path}`,
      label,
      group: 'Go to',
      icon,
      path,
      keywords: same.map((command) => `${command.label} ${command.keywords ?? ''}`).join(' '),
      ...(keys ? { keys } : {}),
      ...(shownBy ? { shownBy } : {}),
    };
  });

const own: Command[] = [
  {
    id: 'shell.theme-system',
    label: 'Follow the system theme',
    group: 'Appearance',
    keywords: 'dark light mode',
    run: () => chooseTheme('system'),
  },
  {
    id: 'shell.theme-light',
    label: 'Use the light theme',
    group: 'Appearance',
    keywords: 'mode',
    run: () => chooseTheme('light'),
  },
  {
    id: 'shell.theme-dark',
    label: 'Use the dark theme',
    group: 'Appearance',
    keywords: 'mode night',
    run: () => chooseTheme('dark'),
  },
];

const listed = new Set(pages.map(({ path }) => path));

/** Every command that isn't made from data. */
export const fixed: readonly Command[] = [
  ...pages,
  ...given.filter(({ path }) => path === undefined || !listed.has(path)),
  ...own,
];
