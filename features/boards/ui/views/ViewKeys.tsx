/** The keys of a view, listed under `?` while it is open. The view itself does what they say. */
import { useShortcuts, type Shortcut } from '@shell/shortcuts';
import type { View } from './data';

const CARRY: readonly Shortcut[] = [
  { keys: 'Space', label: 'Lift the item; arrows carry it' },
  { keys: 'Enter', label: 'Open the item, or drop what is lifted' },
  { keys: 'Esc', label: 'Put what is lifted back' },
];

const KEYS: Record<View['kind'], { title: string; keys: readonly Shortcut[] }> = {
  table: {
    title: 'Table',
    keys: [
      { keys: 'Enter', label: 'Edit the cell, or save it and go down' },
      { keys: 'F2', label: 'Edit the cell' },
      { keys: 'Tab', label: 'Save the cell and go on' },
      { keys: 'Esc', label: 'Leave the cell as it was' },
      { keys: 'Shift Enter', label: 'In a long text: begin a new line' },
      { keys: 'Delete', label: 'Empty the selected cells' },
      { keys: 'Space', label: 'Open the item from its name, or tick a box' },
      { keys: 'Alt ↑ ↓', label: 'Fold or unfold subitems' },
      { keys: 'Shift arrows', label: 'Select more cells' },
      { keys: 'Ctrl arrows', label: 'Go to the first or last cell' },
      { keys: 'Ctrl A', label: 'Select everything' },
      { keys: 'Ctrl C', label: 'Copy' },
      { keys: 'Ctrl X', label: 'Cut' },
      { keys: 'Ctrl V', label: 'Paste' },
      { keys: 'Ctrl D', label: 'Fill down' },
      { keys: 'Ctrl Z', label: 'Undo' },
      { keys: 'Ctrl Y', label: 'Redo' },
      { keys: 'Shift ← →', label: 'On a title: make the column narrower or wider' },
      { keys: 'Ctrl Shift ← →', label: 'On a title: move the column' },
    ],
  },
  kanban: { title: 'Kanban', keys: [{ keys: '↑ ↓', label: 'Go through a stack' }, { keys: '← →', label: 'Go to the stack beside it' }, { keys: 'Home End', label: 'Go to the first or last card' }, ...CARRY] },
  calendar: {
    title: 'Calendar',
    keys: [
      { keys: 'arrows', label: 'Go to another day' },
      { keys: 'PgUp PgDn', label: 'Go to another month' },
      { keys: 'N', label: 'Add an item on the day' },
      { keys: 'Enter', label: 'Go into the day’s items, or open one' },
      { keys: 'Space', label: 'Lift the item; arrows carry it, Enter drops it' },
      { keys: 'Esc', label: 'Put what is lifted back' },
    ],
  },
  timeline: { title: 'Timeline', keys: [{ keys: '↑ ↓', label: 'Go to another item' }, { keys: '← →', label: 'Go between the name and the bar' }, ...CARRY, { keys: 'Shift ← →', label: 'Stretch the end of what is lifted' }, { keys: 'Ctrl ← →', label: 'Stretch its beginning' }] },
};

const OF_VIEWS: readonly Shortcut[] = [
  { keys: '← →', label: 'On a view’s tab: go to another view' },
  { keys: 'Ctrl Shift ← →', label: 'On a view’s tab: move the view' },
  { keys: 'F2', label: 'On a view’s tab: rename the view' },
];

export function ViewKeys({ kind }: { kind: View['kind'] }) {
  const { title, keys } = KEYS[kind];
  useShortcuts('Views of the board', OF_VIEWS);
  useShortcuts(title, keys);
  return null;
}
