/** Side panel of an item: fields, comments, and activity. Escape closes it. */
import type { ReactNode } from 'react';
import { Button, SidePanel, Tabs } from '@shell/components';
import type { Member } from '@shell/members';
import { Activity } from './Activity';
import { Comments } from './Comments';
import type { Attachment, Column, Group } from './data';
import { useFreshItem } from './discussion';
import { Files } from './files/Files';
import './item.css';

interface ItemPanelProps {
  board: string;
  item: string;
  name: string;
  columns: readonly Column[];
  groups: readonly Group[];
  members: readonly Member[];
  /** The name as it stands at the head, where that can be edited. */
  heading?: ReactNode;
  /** What is said in place of everything else, once the item is gone. */
  gone?: ReactNode;
  /** What the item's cell of a column of files lists. */
  filesOf: (column: string) => readonly Attachment[];
  /** Its files have changed. */
  onFiles: () => Promise<unknown>;
  onArchive: () => void;
  onDelete: () => void;
  onClose: () => void;
  /** What stands above the tabs. */
  children?: ReactNode;
}

export function ItemPanel({
  board,
  item,
  name,
  columns,
  groups,
  members,
  filesOf,
  onFiles,
  onArchive,
  onDelete,
  heading,
  gone,
  onClose,
  children,
}: ItemPanelProps) {
  const place = { board, item };
  const again = useFreshItem(place);
  if (gone) {
    return (
      <SidePanel title={name} onClose={onClose}>
        {gone}
      </SidePanel>
    );
  }
  const ofFiles = columns.filter((column) => column.type === 'file');
  const files = ofFiles.map((column) => (
    <section key={column.id} className="item-files">
      {ofFiles.length > 1 && <h3>{column.title}</h3>}
      <Files
        cell={{ board, item, column: column.id }}
        label={column.title}
        files={filesOf(column.id)}
        onChanged={onFiles}
      />
    </section>
  ));
  return (
    <SidePanel title={name} heading={heading} onClose={onClose}>
      <div className="item-actions">
        <Button icon="archive" onPress={onArchive}>
          Archive item
        </Button>
        <Button icon="trash" onPress={onDelete}>
          Delete item
        </Button>
      </div>
      {children}
      <Tabs
        label="Item details"
        tabs={[
          {
            id: 'comments',
            label: 'Comments',
            content: <Comments place={place} members={members} onChanged={again} />,
          },
          ...(files.length > 0 ? [{ id: 'files', label: 'Files', content: <>{files}</> }] : []),
          {
            id: 'activity',
            label: 'Activity',
            content: <Activity place={place} columns={columns} groups={groups} members={members} onChanged={again} />,
          },
        ]}
      />
    </SidePanel>
  );
}
