/** Keyboard shortcuts of a view, listed under `?`. The view implements them. */
import { isTyping, useShortcuts, type Shortcut } from '@shell/shortcuts';
import type { Outbox } from '../outbox/useOutbox';
import type { View } from './data';

const CARRY: readonly Shortcut[] = [
  { keys: 'Space', label: 'Lift the item; arrow keys move it' },
  { keys: 'Enter', label: 'Open the item, or drop the lifted one' },
  { keys: 'Esc', label: 'Cancel the move' },
];

const KEYS: Record<View['kind'], { title: string; keys: readonly Shortcut[] }> = {
  table: {
    title: 'Table',
    keys: [
      { keys: 'Enter', label: 'Edit the cell, or save it and move down' },
      { keys: 'F2', label: 'Edit the cell' },
      { keys: 'Tab', label: 'Save the cell and move to the next' },
      { keys: 'Esc', label: 'Cancel the edit' },
      { keys: 'Shift Enter', label: 'In long text: start a new line' },
      { keys: 'Delete', label: 'Clear the selected cells; delete the selected items' },
      { keys: 'Space', label: 'Open the item from its name, or toggle a checkbox' },
      { keys: 'Alt ↑ ↓', label: 'Expand or collapse subitems' },
      { keys: 'Alt Enter', label: 'Open a link, email address, or phone number' },
      { keys: 'Shift arrows', label: 'Select more cells' },
      { keys: 'Ctrl arrows', label: 'Go to the edge of the filled cells' },
      { keys: 'Ctrl Home End', label: 'Go to the first or last cell' },
      { keys: 'Ctrl A', label: 'Select all cells' },
      { keys: 'Ctrl Space', label: 'Select the columns of the selected cells' },
      { keys: 'Shift Space', label: 'Select the items of the selected cells' },
      { keys: 'Ctrl C', label: 'Copy' },
      { keys: 'Ctrl X', label: 'Cut' },
      { keys: 'Ctrl V', label: 'Paste' },
      { keys: 'Ctrl D', label: 'Fill down' },
      { keys: 'Shift ← →', label: 'On a title: resize the column' },
      { keys: 'Ctrl Shift ← →', label: 'On a title: move the column' },
    ],
  },
  kanban: {
    title: 'Kanban',
    keys: [
      { keys: '↑ ↓', label: 'Move through a stack' },
      { keys: '← →', label: 'Move to the next stack' },
      { keys: 'Home End', label: 'Go to the first or last card' },
      { keys: 'Space', label: 'Lift the card; ↑ ↓ move it in its stack, ← → to another' },
      ...CARRY.slice(1),
    ],
  },
  calendar: {
    title: 'Calendar',
    keys: [
      { keys: 'arrows', label: 'Go to another day' },
      { keys: 'PgUp PgDn', label: 'Go to another month' },
      { keys: 'N', label: 'Add an item on the day' },
      { keys: 'Enter', label: 'Go into the day’s items, or open one' },
      { keys: 'Space', label: 'Lift the item; arrow keys move it, Enter drops it' },
      { keys: 'Esc', label: 'Cancel the move' },
    ],
  },
  timeline: {
    title: 'Timeline',
    keys: [
      { keys: '↑ ↓', label: 'Go to another item' },
      { keys: '← →', label: 'Move between the name and the bar' },
      ...CARRY,
      { keys: 'Shift ← →', label: 'Move the end of the lifted bar' },
      { keys: 'Ctrl ← →', label: 'Move its start' },
    ],
  },
};

const OF_VIEWS: readonly Shortcut[] = [
  { keys: '← →', label: 'On a view’s tab: go to another view' },
  { keys: 'Ctrl Shift ← →', label: 'On a view’s tab: move the view' },
  { keys: 'F2', label: 'On a view’s tab: rename the view' },
];

/** Whether the shortcuts don't apply: in a field with its own undo, or behind a dialog. */
const isElsewhere = ({ target }: KeyboardEvent) =>
  isTyping(target) ||
  (target instanceof Element &&
    target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null);

interface ViewKeysProps {
  kind: View['kind'];
  outbox: Pick<Outbox, 'undo' | 'redo'>;
}

export function ViewKeys({ kind, outbox }: ViewKeysProps) {
  const { title, keys } = KEYS[kind];
  useShortcuts('Views of the board', OF_VIEWS);
  useShortcuts('Board', [
    {
      keys: 'Mod+z',
      label: 'Undo, with Shift redo',
      run: (event) => {
        if (isElsewhere(event)) return false;
        if (event.shiftKey) outbox.redo();
        else outbox.undo();
      },
    },
    {
      keys: 'Mod+y',
      label: 'Redo',
      run: (event) => {
        if (isElsewhere(event)) return false;
        outbox.redo();
      },
    },
  ]);
  useShortcuts(title, keys);
  return null;
}
