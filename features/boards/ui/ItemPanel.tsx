/** One item at the side of its board: what is said about it, and what happened to it. Escape closes it. */
import { Button, SidePanel, Tabs } from '@shell/components';
import { Activity } from './Activity';
import { Comments } from './Comments';
import type { Column, Group, Member } from './data';
import { useFreshItem } from './discussion';
import './item.css';

interface ItemPanelProps {
  board: string;
  item: string;
  name: string;
  columns: readonly Column[];
  groups: readonly Group[];
  members: readonly Member[];
  onArchive: () => void;
  onClose: () => void;
}

export function ItemPanel({ board, item, name, columns, groups, members, onArchive, onClose }: ItemPanelProps) {
  const place = { board, item };
  const again = useFreshItem(place);
  return (
    <SidePanel title={name} onClose={onClose}>
      <div className="item-actions">
        <Button icon="download" onPress={onArchive}>
          Archive item
        </Button>
      </div>
      <Tabs
        label="About this item"
        tabs={[
          { id: 'comments', label: 'Comments', content: <Comments place={place} members={members} onChanged={again} /> },
          { id: 'activity', label: 'Activity', content: <Activity place={place} columns={columns} groups={groups} members={members} onChanged={again} /> },
        ]}
      />
    </SidePanel>
  );
}
