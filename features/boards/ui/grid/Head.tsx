/** The titles of a table's columns: a menu on each, edges that resize, and moving by pointer and keyboard. */
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { IconButton, Menu, type MenuGroup } from '@shell/components';
import type { SortStep } from '@shell/engine/types';
import type { Column } from '../data';
import { steady } from '@shell/steady';
import { HeadProgress } from '../formula/Computing';
import type { ViewSettings } from '../view';
import { fitting, movedColumn, NAME, type ShownColumn } from './columns';
import { TOTALS, totalsFor } from './totals';

/** Width change for Shift and an arrow key, in pixels. */
const STEP_PX = 16;

export interface HeadProps {
  shown: readonly ShownColumn[];
  columns: readonly Column[];
  settings: ViewSettings;
  template: string;
  /** The column with the focus, or -1. */
  here: number;
  onSettings: (settings: ViewSettings) => void;
  onFilter: (column: Column) => void;
  onRename: (column: Column) => void;
  /** Shows the column's settings. */
  onEdit: (column: Column) => void;
  onDelete: (column: Column) => void;
  onFocus: (column: number) => void;
  onSelectAll: () => void;
  /** Says something to who cannot see it. */
  say: (text: string) => void;
}

export function Head(props: HeadProps) {
  const { shown, columns, settings, template, here, onSettings, onFocus, onSelectAll, say } = props;
  const [resizing, setResizing] = useState<{ id: string; width: number } | null>(null);
  const [carried, setCarried] = useState<{ id: string; over: number } | null>(null);

  const resize = (id: string, width: number) =>
    onSettings({ ...settings, widths: { ...settings.widths, [id]: fitting(width) } });
  const move = (id: string, by: number) =>
    onSettings({ ...settings, columnOrder: movedColumn(columns, settings, id, by) });

  const onKeyDown = (event: KeyboardEvent, { column, width }: ShownColumn, at: number) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (step !== 0 && event.shiftKey && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      const to = at + step;
      if (column.id === NAME.id || to < 1 || to >= shown.length) return;
      move(column.id, step);
      onFocus(to);
      say(`${column.title}, column ${to + 1} of ${shown.length}`);
    } else if (step !== 0 && event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      resize(column.id, width + step * STEP_PX);
      say(`${column.title}, ${fitting(width + step * STEP_PX)} pixels wide`);
    } else if ((event.key === 'Enter' || event.key === ' ') && event.target === event.currentTarget) {
      event.preventDefault();
      event.stopPropagation();
      event.currentTarget.querySelector('button')?.click();
    }
  };

  const grab = (event: PointerEvent, { column, width }: ShownColumn) => {
    event.preventDefault();
    event.stopPropagation();
    const begun = event.clientX;
    let last = width;
    const onMove = (moved: globalThis.PointerEvent) => {
      last = fitting(width + moved.clientX - begun);
      setResizing({ id: column.id, width: last });
    };
    follow(onMove, () => {
      setResizing(null);
      if (last !== width) resize(column.id, last);
    });
  };

  const carry = (event: PointerEvent, { column }: ShownColumn, at: number) => {
    if (event.button !== 0 || column.id === NAME.id || (event.target as HTMLElement).closest('button')) return;
    const begun = event.clientX;
    let over = at;
    const row = event.currentTarget.parentElement;
    const onMove = (moved: globalThis.PointerEvent) => {
      if (Math.abs(moved.clientX - begun) < 6 && over === at) return;
      const heads = [...(row?.querySelectorAll<HTMLElement>('[role="columnheader"][data-column]') ?? [])];
      const hit = heads.findIndex((head) => moved.clientX < head.getBoundingClientRect().right);
      over = Math.max(1, hit < 0 ? shown.length - 1 : hit);
      setCarried({ id: column.id, over });
    };
    follow(onMove, () => {
      setCarried(null);
      if (over !== at) move(column.id, over - at);
    });
  };

  const wide = resizing
    ? template
        .split(' ')
        .map((part, at) => (shown[at - 1]?.column.id === resizing.id ? `${resizing.width}px` : part))
        .join(' ')
    : template;
  return (
    <div role="row" aria-rowindex={1} className="grid-row grid-head" style={{ gridTemplateColumns: wide }}>
      <div role="gridcell" aria-colindex={1} className="grid-cell grid-gutter">
        <button
          type="button"
          tabIndex={-1}
          className="grid-corner"
          aria-label="Select all items"
          onClick={onSelectAll}
        />
      </div>
      {shown.map((one, at) => {
        const { column, left } = one;
        const step = settings.sort?.find((other) => other.columnId === column.id);
        const sort = (steps: SortStep[]) => onSettings({ ...settings, sort: steps });
        const others = (settings.sort ?? []).filter((other) => other !== step);
        const isFrozen = left !== null && column.id !== NAME.id;
        return (
          <Title
            key={column.id}
            column={column}
            at={at}
            left={left}
            isHere={here === at}
            sorted={step ? (step.descending ? 'descending' : 'ascending') : undefined}
            isSortable={others.length > 0 && !step}
            total={(settings.columnTotals as Record<string, string> | undefined)?.[column.id]}
            isFrozen={isFrozen}
            isOver={carried?.over === at}
            isCarried={carried?.id === column.id}
            onFocus={() => onFocus(at)}
            onKeyDown={(event) => onKeyDown(event, one, at)}
            onCarry={(event) => carry(event, one, at)}
            onGrab={(event) => grab(event, one)}
            onUsualWidth={() => onSettings({ ...settings, widths: without(settings.widths, column.id) })}
            onSort={(descending) => sort([{ columnId: column.id, descending }])}
            onThenSort={() => sort([...others, { columnId: column.id, descending: false }])}
            onUnsort={() => sort(others)}
            onTotal={(name) =>
              onSettings({
                ...settings,
                columnTotals: { ...(settings.columnTotals as object | undefined), [column.id]: name },
              })
            }
            onFreeze={() => onSettings({ ...settings, frozen: isFrozen ? NAME.id : column.id })}
            onHide={() => onSettings({ ...settings, hiddenColumns: [...(settings.hiddenColumns ?? []), column.id] })}
            onFilter={() => props.onFilter(column)}
            onEdit={() => props.onEdit(column)}
            onRename={() => props.onRename(column)}
            onDelete={() => props.onDelete(column)}
          />
        );
      })}
      <div role="columnheader" aria-colindex={shown.length + 2} className="grid-cell">
        <span className="sr-only">Actions</span>
      </div>
    </div>
  );
}

interface TitleProps {
  column: Column;
  at: number;
  left: number | null;
  isHere: boolean;
  sorted: 'ascending' | 'descending' | undefined;
  /** Whether others sort the table, which this one can follow. */
  isSortable: boolean;
  /** What was chosen to stand below it. */
  total: string | undefined;
  isFrozen: boolean;
  isOver: boolean;
  isCarried: boolean;
  onFocus: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onCarry: (event: PointerEvent) => void;
  onGrab: (event: PointerEvent) => void;
  onUsualWidth: () => void;
  onSort: (descending: boolean) => void;
  onThenSort: () => void;
  onUnsort: () => void;
  onTotal: (name: string) => void;
  onFreeze: () => void;
  onHide: () => void;
  onFilter: () => void;
  onEdit: () => void;
  onRename: () => void;
  onDelete: () => void;
}

/** One title. Its menu costs as much to draw as two lines of the table. */
const Title = steady(function Title(props: TitleProps) {
  const { column, at, left, isHere, sorted, isOver, isCarried } = props;
  return (
    <div
      role="columnheader"
      aria-label={column.title}
      aria-colindex={at + 2}
      aria-sort={sorted}
      className="grid-cell grid-title"
      data-column={at}
      data-first={at === 0 || undefined}
      data-frozen={left !== null || undefined}
      data-over={isOver || undefined}
      data-carried={isCarried || undefined}
      style={left === null ? undefined : { left }}
      tabIndex={isHere ? 0 : -1}
      onFocus={props.onFocus}
      onKeyDown={props.onKeyDown}
      onPointerDown={props.onCarry}
    >
      <span className="grid-text">{column.title}</span>
      {sorted && (
        <span className="grid-sorted" aria-hidden="true">
          {sorted === 'descending' ? '↓' : '↑'}
        </span>
      )}
      <HeadProgress column={column} />
      <span className="grid-menu">
        <Menu label={`Options for ${column.title}`} placement="bottom start" groups={menuOf(props)}>
          <IconButton icon="chevronDown" label={`Options for ${column.title}`} excludeFromTabOrder />
        </Menu>
      </span>
      <span className="grid-edge" aria-hidden="true" onPointerDown={props.onGrab} onDoubleClick={props.onUsualWidth} />
    </div>
  );
});

/** Follows the pointer until it is let go. */
function follow(onMove: (event: globalThis.PointerEvent) => void, onEnd: () => void) {
  const end = () => {
    removeEventListener('pointermove', onMove);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
    onEnd();
  };
  addEventListener('pointermove', onMove);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
}

function without(widths: Record<string, number> | undefined, id: string): Record<string, number> {
  const rest = { ...widths };
  delete rest[id];
  return rest;
}

function menuOf({ column, sorted, isSortable, total, isFrozen, ...on }: TitleProps): MenuGroup[] {
  const totals = totalsFor(column);
  const chosen = total ?? totals[0];
  return [
    {
      entries: [
        {
          id: 'up',
          label: 'Sort ascending',
          icon: 'chevronUp',
          isSelected: sorted === 'ascending',
          onAction: () => on.onSort(false),
        },
        {
          id: 'down',
          label: 'Sort descending',
          icon: 'chevronDown',
          isSelected: sorted === 'descending',
          onAction: () => on.onSort(true),
        },
        ...(isSortable
          ? [{ id: 'then', label: 'Then sort by this', icon: 'sort' as const, onAction: on.onThenSort }]
          : []),
        ...(sorted
          ? [{ id: 'unsort', label: 'Stop sorting by this', icon: 'close' as const, onAction: on.onUnsort }]
          : []),
        { id: 'filter', label: 'Filter by this column', icon: 'filter', onAction: on.onFilter },
      ],
    },
    ...(totals.length > 1
      ? [
          {
            label: 'Total',
            entries: totals.map((name) => ({
              id: `total-${name}`,
              label: TOTALS[name],
              isSelected: name === chosen,
              onAction: () => on.onTotal(name),
            })),
          },
        ]
      : []),
    ...(column.id === NAME.id
      ? []
      : [
          {
            entries: [
              {
                id: 'freeze',
                label: isFrozen ? 'Unfreeze columns' : 'Freeze up to this column',
                icon: 'sidebar' as const,
                onAction: on.onFreeze,
              },
              { id: 'hide', label: 'Hide column', icon: 'minus' as const, onAction: on.onHide },
              { id: 'edit', label: 'Change column', icon: 'settings' as const, onAction: on.onEdit },
              { id: 'rename', label: 'Rename column', icon: 'edit' as const, onAction: on.onRename },
              { id: 'delete', label: 'Delete column', icon: 'trash' as const, isDanger: true, onAction: on.onDelete },
            ],
          },
        ]),
  ];
}
