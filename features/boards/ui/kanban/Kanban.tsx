/**
 * A board as cards in stacks. A card is carried to another stack by pointer, by keyboard (Space lifts, arrows move, Enter
 * drops, Escape takes back) or through its menu; what a stack is by is written to the item at once.
 */
import { useMemo, useRef, useState, type CSSProperties } from 'react';
import type { Member } from '../data';
import { useRowPx } from '../display';
import type { BoardTable } from '../table';
import { useCarry } from '../views/carry';
import { defaultFields } from '../views/fields';
import type { ViewProps } from '../views/props';
import { dataAt, usePointerCarry } from '../views/usePointerCarry';
import { CardBody, type CardSource } from './Card';
import { LimitDialog } from './LimitDialog';
import { StackColumn, StackFolded } from './StackColumn';
import { beside, NO_VALUE, stacksOf, type Stack, type StackBy } from './stacks';
import './kanban.css';

interface KanbanProps extends ViewProps {
  by: StackBy;
  members: readonly Member[];
}

export function Kanban(props: KanbanProps) {
  const { table, by, rows, settings, members, moves, onSettings, onOpenItem } = props;
  const stacks = useMemo(() => stacksOf(table, by, rows), [table, by, rows]);
  const fields = useMemo(() => {
    const columns = table.meta.columns;
    const shown = settings.cardFields?.flatMap((id) => columns.find((column) => column.id === id) ?? []);
    return shown ?? defaultFields(columns, by.kind === 'column' ? by.column.id : undefined);
  }, [settings.cardFields, table.meta.columns, by]);
  const [limiting, setLimiting] = useState<Stack | null>(null);
  const rowPx = useRowPx();
  const frame = useRef<HTMLDivElement>(null);
  /** The card that gets the focus when it stands where it was dropped. */
  const [wanted, setWanted] = useState<string | null>(null);
  const nameOf = (key: string) => stacks.find((stack) => stack.key === key)?.name ?? '';

  const put = (item: string, name: string, from: string, to: string) => {
    if (from === to) return;
    if (by.kind === 'group') moves.group(item, name, from, to, nameOf(to));
    else moves.cell(item, name, by.column, from === NO_VALUE ? null : from, to === NO_VALUE ? null : to, nameOf(to));
  };
  const folded = new Set(settings.folded ?? []);
  const carrying = useCarry<string>({
    placeName: nameOf,
    onDrop: ({ item, name, from, to, byKey }) => {
      // A folded stack shows no card that could take the focus; it does itself.
      if (byKey && folded.has(to)) frame.current?.querySelector<HTMLElement>(`[data-stack="${CSS.escape(to)}"] button`)?.focus();
      else if (byKey) setWanted(item);
      put(item, name, from, to);
    },
  });
  const { carried } = carrying;
  const pointer = usePointerCarry<CardSource>({
    onLift: ({ item, name, stack }) => carrying.lift(item, name, stack, false),
    onMove: (point) => {
      const key = dataAt(point, 'stack');
      if (key !== undefined) carrying.over(key);
    },
    onDrop: carrying.drop,
    onCancel: carrying.cancel,
  });

  const fold = (key: string, isFolded: boolean) => {
    const rest = (settings.folded ?? []).filter((one) => one !== key);
    onSettings({ ...settings, folded: isFolded ? [...rest, key] : rest });
  };
  /** Arrows beyond a stack's side go to the next open one that has cards. */
  const goBeside = (from: string, by: -1 | 1) => {
    const open = stacks.filter((stack) => !folded.has(stack.key) && stack.rows.length > 0);
    const key = beside(open, from, by);
    if (key !== from) frame.current?.querySelector<HTMLElement>(`[data-stack="${CSS.escape(key)}"] .card-open[tabindex="0"]`)?.focus();
  };
  const ghost = pointer.point && carried && rowOf(stacks, table, carried.item);
  return (
    <div
      className="kanban"
      ref={frame}
      data-scrolls="x"
      // Whoever goes on elsewhere is not called back to a card that comes into view later.
      onPointerDownCapture={() => setWanted(null)}
      onKeyDownCapture={() => setWanted(null)}
      style={{ '--card-pad': `${(rowPx - 20) / 2}px` } as CSSProperties}
    >
      <p className="sr-only" id="kanban-keys">
        Space lifts the card, arrows move it, Enter opens it.
      </p>
      {stacks.map((stack) => {
        const shared = { stack, limit: settings.limits?.[stack.key], isTarget: carried?.to === stack.key && carried.from !== stack.key };
        if (folded.has(stack.key)) return <StackFolded key={stack.key} {...shared} onUnfold={() => fold(stack.key, false)} />;
        return (
          <StackColumn
            key={stack.key}
            {...shared}
            stacks={stacks}
            table={table}
            fields={fields}
            members={members}
            carrying={carrying}
            wanted={wanted}
            onFound={() => setWanted(null)}
            onPress={pointer.onPointerDown}
            onStep={(from, step) => carrying.over(beside(stacks, from, step))}
            onBeside={goBeside}
            onOpenItem={onOpenItem}
            onMoveTo={(item, name, to) => put(item, name, stack.key, to)}
            onFold={() => fold(stack.key, true)}
            onLimit={() => setLimiting(stack)}
            onAdd={(name) => {
              if (by.kind === 'group') return moves.add(name, { group: stack.key });
              return moves.add(name, stack.key === NO_VALUE ? {} : { cells: { [by.column.id]: stack.key } });
            }}
          />
        );
      })}
      {ghost !== null && ghost !== undefined && pointer.point && (
        <div className="card card-ghost" aria-hidden="true" style={{ left: pointer.point.x, top: pointer.point.y }}>
          <CardBody table={table} row={ghost} fields={fields} members={members} />
        </div>
      )}
      <span className="sr-only" role="status">
        {carrying.said}
      </span>
      {limiting && (
        <LimitDialog
          stack={limiting}
          limit={settings.limits?.[limiting.key]}
          onClose={() => setLimiting(null)}
          onSave={(limit) => {
            const limits = { ...settings.limits };
            if (limit === null) delete limits[limiting.key];
            else limits[limiting.key] = limit;
            onSettings({ ...settings, limits });
          }}
        />
      )}
    </div>
  );
}

function rowOf(stacks: readonly Stack[], table: BoardTable, item: string): number | undefined {
  for (const stack of stacks) for (const row of stack.rows) if (table.id(row) === item) return row;
  return undefined;
}
