import { Link, useLocation } from 'wouter';
import { Icon, Menu, Tooltip, toast } from '../components';
import { Button as AriaButton, Focusable } from 'react-aria-components';
import { features } from '../features';
import type { NavEntry } from '../feature';
import { isShown, useSettings } from '../settings';
import { useWorkspaces } from '../workspace';

const entries = features.flatMap((feature) => feature.nav ?? []).sort((a, b) => a.order - b.order);

const tops = features.flatMap((feature) => feature.sidebarTop ?? []);

/** The sidebar: the features' entries, in order. */
export function Nav({ collapsed }: { collapsed: boolean }) {
  const { data: settings } = useSettings();
  const shown = entries.filter((entry) => isShown(entry, settings));
  return (
    <nav className="nav" aria-label="Main">
      <WorkspaceSwitch collapsed={collapsed} />
      {tops.map((Top, at) => (
        <Top key={at} isCollapsed={collapsed} />
      ))}
      <ul className="nav-list">
        {shown
          .filter((entry) => entry.place !== 'foot')
          .map((entry) => (
            <Entry key={entry.path} entry={entry} collapsed={collapsed} />
          ))}
      </ul>
      <ul className="nav-list nav-foot">
        {shown
          .filter((entry) => entry.place === 'foot')
          .map((entry) => (
            <Entry key={entry.path} entry={entry} collapsed={collapsed} />
          ))}
      </ul>
    </nav>
  );
}

function Entry({ entry, collapsed }: { entry: NavEntry; collapsed: boolean }) {
  const [location] = useLocation();
  const isHere = location === entry.path || location.startsWith(`${entry.path}/`);
  const link = (
    <Link
      href={entry.path}
      className="nav-link"
      aria-current={isHere ? 'page' : undefined}
      aria-label={collapsed ? entry.label : undefined}
    >
      <Icon name={entry.icon} />
      {!collapsed && <span className="nav-label">{entry.label}</span>}
      {!collapsed && entry.badge && <entry.badge />}
    </Link>
  );
  return (
    <li>
      {collapsed ? (
        <Tooltip text={entry.label}>
          <Focusable>{link}</Focusable>
        </Tooltip>
      ) : (
        link
      )}
      {!collapsed && entry.children && (
        <div className="nav-children">
          <entry.children />
        </div>
      )}
    </li>
  );
}

function WorkspaceSwitch({ collapsed }: { collapsed: boolean }) {
  const { data: workspaces, current, choose, error, refetch } = useWorkspaces();
  const name = current?.name ?? 'Pilothouse';
  return (
    <Menu
      label="Workspaces"
      placement="bottom start"
      groups={[
        {
          label: error ? "Couldn't load workspaces" : 'Workspaces',
          entries: error
            ? [{ id: 'retry', label: 'Try again', icon: 'restart', onAction: () => void refetch() }]
            : (workspaces ?? []).map((workspace) => ({
                id: workspace.id,
                label: workspace.name,
                isSelected: workspace.id === current?.id,
                onAction: () => {
                  if (workspace.id === current?.id) return;
                  choose(workspace.id);
                  toast.done(`Now in ${workspace.name}`);
                },
              })),
        },
      ]}
    >
      <AriaButton className="workspace">
        <span className="sr-only">Workspace:</span>
        <span className="workspace-mark" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
        <span className={collapsed ? 'sr-only' : 'nav-label'}>{name}</span>
        {!collapsed && <Icon name="chevronDown" size={12} />}
      </AriaButton>
    </Menu>
  );
}
