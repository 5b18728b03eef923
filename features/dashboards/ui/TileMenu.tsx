/** What can be done with a widget. Drawn again only where it offers something else: it is as much to draw as a small chart. */
import { IconButton, Menu } from '@shell/components';
import { steady } from '@shell/steady';
import { COLUMNS } from './grid/layout';

const SIZES: { id: string; label: string; w: number; h: number }[] = [
  { id: 'small', label: 'Small', w: 3, h: 3 },
  { id: 'medium', label: 'Medium', w: 6, h: 5 },
  { id: 'large', label: 'Large', w: 9, h: 8 },
  { id: 'full', label: 'Full width', w: COLUMNS, h: 8 },
];

interface TileMenuProps {
  title: string;
  /** Its present size. */
  w: number;
  h: number;
  /** Whether its kind is one of this version. */
  isKnown: boolean;
  /** Whether there are items behind it. */
  hasItems: boolean;
  onEdit: () => void;
  onExplain: () => void;
  onItems: () => void;
  onDuplicate: () => void;
  onMove: () => void;
  onSize: (w: number, h: number) => void;
  onRemove: () => void;
}

export const TileMenu = steady(
  ({
    title,
    w,
    h,
    isKnown,
    hasItems,
    onEdit,
    onExplain,
    onItems,
    onDuplicate,
    onMove,
    onSize,
    onRemove,
  }: TileMenuProps) => (
    <Menu
      label={title}
      groups={[
        {
          entries: [
            ...(isKnown ? [{ id: 'edit', label: 'Edit', icon: 'edit' as const, onAction: onEdit }] : []),
            ...(isKnown ? [{ id: 'explain', label: 'Explain', icon: 'info' as const, onAction: onExplain }] : []),
            ...(hasItems ? [{ id: 'items', label: 'Show items', icon: 'board' as const, onAction: onItems }] : []),
            { id: 'duplicate', label: 'Duplicate', icon: 'duplicate', onAction: onDuplicate },
            { id: 'move', label: 'Move to…', icon: 'move', onAction: onMove },
          ],
        },
        {
          label: 'Size',
          entries: SIZES.map((size) => ({
            id: size.id,
            label: size.label,
            isSelected: w === size.w && h === size.h,
            onAction: () => onSize(size.w, size.h),
          })),
        },
        { entries: [{ id: 'remove', label: 'Remove', icon: 'trash', isDanger: true, onAction: onRemove }] },
      ]}
    >
      <IconButton icon="more" label={`More for ${title}`} />
    </Menu>
  ),
);
