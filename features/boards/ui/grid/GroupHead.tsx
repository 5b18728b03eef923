/** Header of a group in a table: name, item count, a button to add an item, and its menu. */
import { Icon, IconButton, Menu, type MenuGroup } from '@shell/components';
import type { Group } from '../data';
import { countedSubitems } from '../subitems';
import { placeOf, type GroupAsk } from './groups';
import './groups.css';

export interface GroupHeadProps {
  line: { group: Group; count: number; subitems: number; isFolded: boolean };
  index: number;
  /** All groups of the board, in order. */
  groups: readonly Group[];
  /** The column with the focus, or -1. */
  here: number;
  actions: {
    focus: (place: { line: number; column: number }) => void;
    fold: (line: number) => void;
    group: (asked: GroupAsk) => void;
  };
}

export function GroupHead({ line, index, groups, here, actions }: GroupHeadProps) {
  const { group } = line;
  return (
    <div role="presentation" className="grid-group-bar">
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events -- The field that keeps the focus handles the keys. */}
      <div
        role="gridcell"
        aria-colindex={2}
        aria-expanded={!line.isFolded}
        data-column={here >= 0 ? here : 0}
        tabIndex={here >= 0 ? 0 : -1}
        className="grid-group-name"
        onFocus={() => actions.focus({ line: index, column: Math.max(here, 0) })}
        onClick={() => actions.fold(index)}
      >
        <Icon name={line.isFolded ? 'chevronRight' : 'chevronDown'} />
        {group.color && <span className="grid-group-mark" aria-hidden="true" style={{ background: group.color }} />}
        {group.name}
        <span className="grid-group-count">{line.count.toLocaleString()}</span>
        {line.subitems > 0 && <span className="grid-group-count">{countedSubitems(line.subitems)}</span>}
      </div>
      {/* eslint-disable-next-line jsx-a11y/interactive-supports-focus -- One of the elements inside has the tab stop. */}
      <div
        role="gridcell"
        aria-colindex={3}
        className="grid-group-tools"
        // Keys pressed in the open menu are the menu's, not the table's.
        onKeyDown={(event) => !event.currentTarget.contains(event.target as Node) && event.stopPropagation()}
      >
        <IconButton
          icon="plus"
          label={`Add an item to ${group.name}`}
          excludeFromTabOrder={here < 0}
          onPress={() => actions.group({ what: 'addItem', group })}
        />
        <Menu
          label={`Options for group ${group.name}`}
          placement="bottom start"
          groups={menuOf(group, groups, actions.group)}
        >
          <IconButton icon="more" label={`Options for group ${group.name}`} excludeFromTabOrder={here < 0} />
        </Menu>
      </div>
    </div>
  );
}

function menuOf(group: Group, groups: readonly Group[], ask: (asked: GroupAsk) => void): MenuGroup[] {
  const { isFirst, isLast } = placeOf(groups, group.id);
  const isOnly = groups.length === 1;
  return [
    {
      entries: [
        { id: 'edit', label: 'Rename or recolor', icon: 'edit', onAction: () => ask({ what: 'edit', group }) },
        {
          id: 'up',
          label: 'Move up',
          icon: 'chevronUp',
          isDisabled: isFirst,
          onAction: () => ask({ what: 'up', group }),
        },
        {
          id: 'down',
          label: 'Move down',
          icon: 'chevronDown',
          isDisabled: isLast,
          onAction: () => ask({ what: 'down', group }),
        },
        { id: 'add', label: 'Add group', icon: 'plus', onAction: () => ask({ what: 'add' }) },
      ],
    },
    {
      entries: [
        {
          id: 'delete',
          label: 'Delete group',
          icon: 'trash',
          isDanger: true,
          isDisabled: isOnly,
          ...(isOnly ? { detail: 'A board needs at least one group.' } : {}),
          onAction: () => ask({ what: 'delete', group }),
        },
      ],
    },
  ];
}
