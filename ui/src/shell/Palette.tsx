import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
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
import { Icon, Kbd, toast } from '../components';
import { perform, type Command } from '../feature';
import { features } from '../features';
import { isShown, useSettings } from '../settings';
import { useShortcuts } from '../shortcuts';
import { fixed } from './commands';
import { rank } from './rank';
import { recentFirst, useRecent } from './recent';

/** Pause after which typing counts as finished. */
const REST_MS = 80;
const finders = features.flatMap((feature) => (feature.useFound ? [feature.useFound] : []));
const sources = features.flatMap((feature) => (feature.useCommands ? [feature.useCommands] : []));

/** What a text finds: commands of the page, and results of the server once typing pauses. */
function useResults(query: string, recent: readonly string[]): { results: Command[]; isAsked: boolean } {
  const [rested, setRested] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRested(query.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const { data: settings } = useSettings();
  // The list of sources is fixed when the page is built, so these hooks run in the same order every time.
  // eslint-disable-next-line react-hooks/rules-of-hooks
  const made = sources.map((useSource) => useSource());
  // eslint-disable-next-line react-hooks/rules-of-hooks
  const asked = finders.map((useFinder) => useFinder(rested));
  const results = useMemo(
    () => {
      const shown = (commands: readonly Command[]) => commands.filter((command) => isShown(command, settings));
      const commands = shown([...fixed, ...made.flat()]);
      if (query.trim() === '') return shown(rank(recentFirst(commands, recent), ''));
      return rank(commands, query, { found: shown(asked.flat()), recent });
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [query, settings, recent.join('\n'), ...made, ...asked],
  );
  return { results, isAsked: rested === query.trim() };
}

/** Groups in the order of their best results. */
function grouped(commands: readonly Command[]) {
  const byGroup = new Map<string, Command[]>();
  for (const command of commands) byGroup.set(command.group, [...(byGroup.get(command.group) ?? []), command]);
  return [...byGroup].map(([name, commands]) => ({ name, commands }));
}

/** Search and commands: go anywhere, do anything. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [recent, remember] = useRecent();
  // The result whose actions are listed, and the text that found it.
  const [of, setOf] = useState<{ command: Command; query: string } | null>(null);
  const list = useRef<HTMLDivElement>(null);
  // While the palette is open, the browser's own shortcut must not run.
  useShortcuts('Search', [{ keys: 'Mod+k', label: 'Search and commands', run: () => {} }]);
  const { results, isAsked } = useResults(of ? of.query : query, recent);
  const actions = of && (results.find(({ id }) => id === of.command.id)?.actions ?? of.command.actions ?? []);
  const shown = actions ? rank(actions, query) : results;

  // Until you move to a result, Enter takes the best one, also if the server's come later.
  const hasFirst = of !== null || query.trim() !== '';

  const run = (command: Command) => {
    onClose();
    if (!of) remember(command);
    Promise.resolve(perform(command, { navigate })).catch((error: unknown) =>
      toast.problem(`Couldn't run: ${command.label}`, error),
    );
  };
  /** Lists the actions of a result, if it has any. */
  const open = (key: string | null | undefined) => {
    const command = of ? undefined : results.find(({ id }) => id === key);
    if (!command?.actions?.length) return false;
    setOf({ command, query });
    setQuery('');
    return true;
  };
  const back = () => {
    setQuery(of?.query ?? '');
    setOf(null);
    return true;
  };
  const onKey = (event: KeyboardEvent) => {
    const field = event.target;
    if (event.nativeEvent.isComposing || !(field instanceof HTMLInputElement)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const isAtEnd = field.selectionStart === field.value.length;
    const isBack = event.key === 'Escape' || (query === '' && ['ArrowLeft', 'Backspace'].includes(event.key));
    const focused = list.current?.querySelector('[data-focused][data-key]')?.getAttribute('data-key');
    const isOpening = event.key === 'Tab' || (event.key === 'ArrowRight' && isAtEnd);
    const first = hasFirst ? shown[0] : undefined;
    if (event.key === 'Enter' && !focused && first) run(first);
    else if (!(of ? isBack && back() : isOpening && open(focused ?? first?.id))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onMenu = (event: MouseEvent) => {
    const key = (event.target as Element).closest('[data-key]')?.getAttribute('data-key');
    if (open(key)) event.preventDefault();
  };
  const label = of ? `Actions for ${of.command.label}` : 'Search and commands';

  return (
    <ModalOverlay className="scrim" isDismissable isOpen onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal modal-medium">
        <Dialog className="palette" aria-label="Search and commands">
          {/* Keys of the field and the mouse's menu, before the parts inside take them. */}
          <div ref={list} className="palette-body" onKeyDownCapture={onKey} onContextMenu={onMenu}>
            <Autocomplete inputValue={query} onInputChange={setQuery} disableAutoFocusFirst>
              <SearchField aria-label={label} autoFocus className="palette-field">
                <Icon name={of ? 'more' : 'search'} />
                <Input placeholder={of ? label : 'Type a command or search'} className="palette-input" />
                {of && <Kbd keys="Esc" />}
              </SearchField>
              <Results commands={shown} first={hasFirst ? shown[0] : undefined} isAsked={isAsked} onRun={run} />
            </Autocomplete>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ResultsProps {
  commands: readonly Command[];
  /** The result that Enter takes until you move to another. */
  first: Command | undefined;
  /** Whether the server was asked for the text. */
  isAsked: boolean;
  onRun: (command: Command) => void;
}

function Results({ commands, first, isAsked, onRun }: ResultsProps) {
  const groups = useMemo(() => grouped(commands), [commands]);
  return (
    <Menu
      className="list palette-list"
      aria-label="Results"
      items={groups}
      renderEmptyState={() => <p className="palette-empty">{isAsked ? 'No results. Try fewer words.' : 'Searching'}</p>}
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
              onAction={() => onRun(command)}
            >
              <Icon name={command.icon ?? 'chevronRight'} />
              <span className="list-text palette-text">
                <span>{command.label}</span>
                {command.detail && <span className="list-detail">{command.detail}</span>}
              </span>
              {command.keys && <span className="list-keys">{command.keys}</span>}
              {command === first && (
                <span className="palette-first" aria-hidden>
                  <Kbd keys="Enter" />
                </span>
              )}
              {command.actions && command.actions.length > 0 && (
                <span className="palette-more">
                  <Kbd keys="→" />
                  Actions
                </span>
              )}
            </MenuItem>
          ))}
        </MenuSection>
      )}
    </Menu>
  );
}
