import { useEffect, useMemo, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { useLocation } from 'wouter';
import { Icon, toast } from '../components';
import type { Command } from '../feature';
import { features } from '../features';
import { chooseTheme } from '../preferences';
import { isShown, useSettings } from '../settings';
import { useShortcuts } from '../shortcuts';
import { rank } from './rank';

const goKeys = new Map(features.flatMap((feature) => feature.shortcuts ?? []).map((go) => [go.path, go.keys]));
const pages: Command[] = features
  .flatMap((feature) => feature.nav ?? [])
  .sort((a, b) => a.order - b.order)
  .map(({ path, label, icon, shownBy }) => {
    const keys = goKeys.get(path);
    return {
      id: `go:${path}`,
      label,
      group: 'Go to',
      icon,
      ...(keys ? { keys } : {}),
      ...(shownBy ? { shownBy } : {}),
      run: ({ navigate }) => navigate(path),
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

const fixed = [...pages, ...features.flatMap((feature) => feature.commands ?? []), ...own];
/** Pause after which typing counts as finished. */
const REST_MS = 150;
const finders = features.flatMap((feature) => (feature.useFound ? [feature.useFound] : []));
const sources = features.flatMap((feature) => (feature.useCommands ? [feature.useCommands] : []));

/** Search and commands: go anywhere, do anything. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [rested, setRested] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRested(query.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [query]);
  // While the palette is open, the browser's own shortcut must not run.
  useShortcuts('Search', [{ keys: 'Mod+k', label: 'Search and commands', run: () => {} }]);
  const { data: settings } = useSettings();
  // The list of sources is fixed when the page is built, so these hooks run in the same order every time.
  // eslint-disable-next-line react-hooks/rules-of-hooks
  const found = sources.map((useSource) => useSource());
  // eslint-disable-next-line react-hooks/rules-of-hooks
  const asked = finders.map((useFinder) => useFinder(rested));
  const results = useMemo(
    () => [
      ...rank(
        [...fixed, ...found.flat()].filter((command) => isShown(command, settings)),
        query,
      ),
      ...asked.flat().filter((command) => isShown(command, settings)),
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [query, settings, ...found, ...asked],
  );
  const groups = useMemo(() => {
    const byGroup = new Map<string, Command[]>();
    for (const command of results) byGroup.set(command.group, [...(byGroup.get(command.group) ?? []), command]);
    return [...byGroup].map(([name, commands]) => ({ name, commands }));
  }, [results]);

  const run = (command: Command) => {
    onClose();
    Promise.resolve(command.run({ navigate })).catch((error: unknown) =>
      toast.problem(`Couldn't run: ${command.label}`, error),
    );
  };

  return (
    <ModalOverlay className="scrim" isDismissable isOpen onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal modal-medium">
        <Dialog className="palette" aria-label="Search and commands">
          <Autocomplete inputValue={query} onInputChange={setQuery}>
            <SearchField aria-label="Search and commands" autoFocus className="palette-field">
              <Icon name="search" />
              <Input placeholder="Type a command or search" className="palette-input" />
            </SearchField>
            <Menu
              className="list palette-list"
              aria-label="Results"
              items={groups}
              renderEmptyState={() => (
                <p className="palette-empty">No results. Try fewer words. To find items, open their board first.</p>
              )}
            >
              {(group) => (
                <MenuSection id={group.name} items={group.commands}>
                  <Header className="list-head">{group.name}</Header>
                  {group.commands.map((command) => (
                    <MenuItem
                      key={command.id}
                      id={command.id}
                      textValue={command.label}
                      className="list-item"
                      onAction={() => run(command)}
                    >
                      <Icon name={command.icon ?? 'chevronRight'} />
                      <span className="list-text palette-text">
                        <span>{command.label}</span>
                        {command.detail && <span className="list-detail">{command.detail}</span>}
                      </span>
                      {command.keys && <span className="list-keys">{command.keys}</span>}
                    </MenuItem>
                  ))}
                </MenuSection>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
