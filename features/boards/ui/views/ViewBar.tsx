/**
 * The views of a board as tabs. Arrows go from one to the next, Ctrl+Shift with an arrow moves one, F2 renames and Delete
 * deletes; a tab can be dragged as well.
 */
import { useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Icon, IconButton, Menu, type MenuGroup } from '@shell/components';
import type { Column } from '../data';
import { NameDialog } from '../dialogs';
import { steady } from '@shell/steady';
import { AddViewDialog } from './AddViewDialog';
import { VIEW_KINDS, type View } from './data';
import { placeAt } from './order';
import type { BoardViews } from './useViews';
import './views.css';

const DRAG_FROM_PX = 5;

interface ViewBarProps {
  board: string;
  state: BoardViews;
  columns: readonly Column[];
  /** What the open view can be told, at the right. */
  children?: ReactNode;
}

/** Id of the tab of a view, which names the panel below. */
export const tabId = (view: View) => `view-tab-${view.id}`;
/** ID of the open view's panel. */
export const PANEL_ID = 'view-panel';

export function ViewBar({ board, state, columns, children }: ViewBarProps) {
  const { views, open } = state;
  const [dialog, setDialog] = useState<'add' | 'rename' | null>(null);
  const [said, setSaid] = useState('');
  const tabs = useRef<HTMLDivElement>(null);
  const drag = useRef<{ from: number; x: number; isOn: boolean }>(null);
  const [place, setPlace] = useState<{ from: number; to: number } | null>(null);
  const at = views.findIndex((view) => view.id === open.id);

  // The open view's tab is in sight, also where the window is narrow or becomes so.
  useLayoutEffect(() => {
    const list = tabs.current;
    if (!list) return;
    const show = () =>
      list.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    show();
    const observer = new ResizeObserver(show);
    observer.observe(list);
    return () => observer.disconnect();
  }, [open.id, at]);

  const focusTab = (index: number) =>
    requestAnimationFrame(() => tabs.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus());
  const go = (index: number) => {
    const view = views[Math.max(0, Math.min(index, views.length - 1))];
    if (!view) return;
    state.select(view.id);
    focusTab(views.indexOf(view));
  };
  const move = (view: View, to: number) => {
    if (to < 0 || to >= views.length || view.id === '') return;
    setSaid(`${view.name} is now view ${to + 1} of ${views.length}.`);
    void state.move(view.id, to).then(() => focusTab(to));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (step && event.ctrlKey && event.shiftKey) move(open, at + step);
    else if (step) go(at + step);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(views.length - 1);
    else if (event.key === 'F2') setDialog('rename');
    else if (event.key === 'Delete' && views.length > 1)
      void state.remove(open).then(() => focusTab(Math.min(at, views.length - 2)));
    else return;
    event.preventDefault();
  };

  const boxes = () =>
    [...(tabs.current?.querySelectorAll('[role=tab]') ?? [])].map((tab) => tab.getBoundingClientRect());
  const onPointerDown = (event: PointerEvent, from: number) => {
    if (event.button !== 0 || views.length < 2) return;
    drag.current = { from, x: event.clientX, isOn: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const held = drag.current;
    if (!held) return;
    held.isOn ||= Math.abs(event.clientX - held.x) > DRAG_FROM_PX;
    // At once: a busy page hears of a quick movement together with its end.
    if (held.isOn) flushSync(() => setPlace({ from: held.from, to: placeAt(event.clientX, boxes(), held.from) }));
  };
  const onPointerUp = () => {
    if (place) {
      const view = views[place.from];
      if (view && place.to !== place.from) move(view, place.to);
    }
    drag.current = null;
    setPlace(null);
  };

  return (
    <div className="view-bar">
      {/* eslint-disable-next-line jsx-a11y/interactive-supports-focus -- One of the elements inside has the tab stop. */}
      <div className="view-tabs" role="tablist" aria-label="Views of this board" ref={tabs} onKeyDown={onKeyDown}>
        {views.map((view, index) => (
          <button
            key={view.id}
            id={tabId(view)}
            role="tab"
            type="button"
            className="view-tab"
            aria-selected={view.id === open.id}
            aria-controls={view.id === open.id ? PANEL_ID : undefined}
            tabIndex={view.id === open.id ? 0 : -1}
            data-dragged={place?.from === index || undefined}
            data-drop={place && place.to !== place.from && dropSide(place, index)}
            onPointerDown={(event) => onPointerDown(event, index)}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={onPointerUp}
            onClick={() => !place && view.id !== open.id && state.select(view.id)}
            onDoubleClick={() => setDialog('rename')}
          >
            <Icon name={VIEW_KINDS[view.kind].icon} size={14} />
            {view.name}
          </button>
        ))}
      </div>
      <Tools
        name={open.name}
        at={at}
        of={views.length}
        onAdd={() => setDialog('add')}
        onRename={() => setDialog('rename')}
        onDuplicate={() => void state.duplicate(open)}
        onMove={(to) => move(open, to)}
        onDelete={() => void state.remove(open)}
      />
      <div className="view-controls">{children}</div>
      <span className="sr-only" role="status">
        {said}
      </span>
      {dialog === 'add' && (
        <AddViewDialog key={board} columns={columns} onClose={() => setDialog(null)} onAdd={state.add} />
      )}
      <NameDialog
        key={open.id}
        isOpen={dialog === 'rename'}
        onClose={() => setDialog(null)}
        title="Rename view"
        action="Rename view"
        initial={open.name}
        onSave={(name) => state.rename(open, name)}
      />
    </div>
  );
}

interface ToolsProps {
  name: string;
  /** The open view's place among so many. */
  at: number;
  of: number;
  onAdd: () => void;
  onRename: () => void;
  onDuplicate: () => void;
  onMove: (to: number) => void;
  onDelete: () => void;
}

/** Actions on the open view, memoized because every change of settings renders the bar again. */
const Tools = steady(function Tools({ name, at, of, onAdd, onRename, onDuplicate, onMove, onDelete }: ToolsProps) {
  const menu: MenuGroup[] = [
    {
      entries: [
        { id: 'rename', label: 'Rename view', icon: 'edit', keys: 'F2', onAction: onRename },
        { id: 'duplicate', label: 'Duplicate view', icon: 'duplicate', onAction: onDuplicate },
        {
          id: 'left',
          label: 'Move left',
          icon: 'chevronLeft',
          keys: 'Ctrl Shift ←',
          isDisabled: at === 0,
          onAction: () => onMove(at - 1),
        },
        {
          id: 'right',
          label: 'Move right',
          icon: 'chevronRight',
          keys: 'Ctrl Shift →',
          isDisabled: at === of - 1,
          onAction: () => onMove(at + 1),
        },
      ],
    },
    {
      entries: [
        { id: 'delete', label: 'Delete view', icon: 'trash', isDanger: true, isDisabled: of < 2, onAction: onDelete },
      ],
    },
  ];
  return (
    <>
      <Menu label="View" groups={menu} placement="bottom start">
        <IconButton icon="more" label={`More actions for view ${name}`} />
      </Menu>
      <IconButton icon="plus" label="Add a view" onPress={onAdd} />
    </>
  );
});

/** The side of the tab at `index` on which the dragged tab would be dropped. */
function dropSide({ from, to }: { from: number; to: number }, index: number): 'before' | 'after' | undefined {
  // `to` counts without the dragged tab.
  const before = to >= from ? to + 1 : to;
  if (index === before) return 'before';
  return index === before - 1 && index !== from ? 'after' : undefined;
}
