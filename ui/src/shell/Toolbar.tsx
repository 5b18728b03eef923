import { Link, useLocation } from 'wouter';
import { features } from '../features';
import { isShown, useSettings } from '../settings';
import { Button as AriaButton, Dialog as AriaDialog, DialogTrigger, Focusable, Popover } from 'react-aria-components';
import { IconButton, Icon, Kbd, Time, Tooltip, useProblems } from '../components';
import { useConnection, type Connection } from '../live';

const connections: Record<Connection, { label: string; text: string }> = {
  connecting: { label: 'Connecting', text: 'Connecting to Pilothouse.' },
  live: { label: 'Connected', text: 'Changes made elsewhere appear here immediately.' },
  lost: {
    label: 'Not connected',
    text: "Can't reach Pilothouse. This page may be out of date. Reconnecting...",
  },
};

/** The bar above the page: search, problems, connection. */
export function Toolbar(props: {
  collapsed: boolean;
  onToggleNav: () => void;
  onPalette: () => void;
  onShortcuts: () => void;
}) {
  const connection = useConnection();
  return (
    <header className="toolbar">
      <IconButton
        icon="sidebar"
        label={props.collapsed ? 'Show sidebar' : 'Hide sidebar'}
        keys="["
        onPress={props.onToggleNav}
      />
      <AriaButton className="toolbar-search" onPress={props.onPalette}>
        <Icon name="search" />
        <span>Search or run a command</span>
        <Kbd keys="Ctrl K" />
      </AriaButton>
      <div className="toolbar-end">
        {widgets.map(({ name, Widget }) => (
          <Widget key={name} />
        ))}
        <Tools />
        <Problems />
        <Tooltip text={connections[connection].text}>
          <AriaButton className="connection" data-state={connection}>
            <span className="connection-dot" aria-hidden="true" />
            <span role="status">{connections[connection].label}</span>
          </AriaButton>
        </Tooltip>
        <IconButton icon="keyboard" label="Keyboard shortcuts" keys="?" onPress={props.onShortcuts} />
      </div>
    </header>
  );
}

const widgets = features.flatMap(({ name, toolbar }) => (toolbar ? [{ name, Widget: toolbar }] : []));
const tools = features.flatMap((feature) => feature.tools ?? []);

/** The features' icons; each opens a page. */
function Tools() {
  const { data: settings } = useSettings();
  const [location] = useLocation();
  return tools
    .filter((tool) => isShown(tool, settings))
    .map(({ path, label, icon }) => (
      <Tooltip key={path} text={label}>
        <Focusable>
          <Link href={path} className="tool" aria-label={label} aria-current={location === path ? 'page' : undefined}>
            <Icon name={icon} />
          </Link>
        </Focusable>
      </Tooltip>
    ));
}

/** The problems that toasts have shown. */
function Problems() {
  const problems = useProblems();
  if (problems.length === 0) return null;
  return (
    <DialogTrigger>
      <IconButton icon="warning" label={`Problems: ${problems.length}`} />
      <Popover className="popover" placement="bottom end" offset={4}>
        <AriaDialog className="problems" aria-label="Problems">
          <ul>
            {problems.map((problem, i) => (
              <li key={problems.length - i}>
                <strong>{problem.title}</strong>
                {problem.detail && <span>{problem.detail}</span>}
                <Time at={problem.at.toISOString()} />
              </li>
            ))}
          </ul>
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  );
}
