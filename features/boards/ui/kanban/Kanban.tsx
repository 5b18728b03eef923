/**
 * A board as cards in stacks. Cards are moved by pointer, keyboard (Space lifts, arrow keys move, Enter or Space drops,
 * Escape cancels), or menu. The stack's value and the position are written at once as one step; in a sorted view, the
 * sort determines the position.
 */
import { useEffect, useMemo, useRef, useState, type CSSProperties } from 'react';
import { Icon } from '@shell/components';
import type { Member } from '@shell/members';
import { useRowPx } from '../display';
import type { BoardTable } from '../table';
import { hasMoved, useCarry } from '../views/carry';
import { defaultFields } from '../views/fields';
import type { ViewProps } from '../views/props';
import { dataAt, usePointerCarry, type Point } from '../views/usePointerCarry';
import { CardBody, type CardSource } from './Card';
import { LimitDialog } from './LimitDialog';
import { StackColumn, StackFolded } from './StackColumn';
import {
  aboveSpot,
  beside,
  besideSpot,
  landingAt,
  NO_VALUE,
  spotAt,
  stacksOf,
  type Spot,
  type Stack,
  type StackBy,
} from './stacks';
import './kanban.css';

const SORTED = 'This view is sorted, so dropping the card changes only its stack.';

/** How many cards are above a spot changes when others come and go; it is the same spot then. */
const whichSpot = ({ stack, before }: Spot) => [stack, before];

interface KanbanProps extends ViewProps {
  by: StackBy;
  members: readonly Member[];
}

export function Kanban(props: KanbanProps) {
  const { table, by, rows, settings, members, moves, onSettings, onOpenItem } = props;
  const isSorted = rows !== null && Boolean(settings.sort?.length);
  const stacks = useMemo(() => stacksOf(table, by, rows, isSorted), [table, by, rows, isSorted]);
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
  /** Whether a key was used last; what is chosen in a menu comes through here as well. */
  const isByKey = useRef(false);
  const folded = new Set(settings.folded ?? []);
  const nameOf = (key: string) => stacks.find((stack) => stack.key === key)?.name ?? '';

  const within = (stack: string, selector: string) =>
    frame.current?.querySelector<HTMLElement>(`[data-stack="${CSS.escape(stack)}"] :is(${selector})`);
  /** The focus goes with a card to where it is put. A folded stack shows no card that could take it; it does itself. */
  const follow = (item: string, stack: string) => {
    if (folded.has(stack)) within(stack, 'button')?.focus();
    else setWanted(item);
  };
  /** What is chosen in a card's menu; by pointer the stack stays where it is scrolled to. */
  const putByMenu = (item: string, name: string, from: string, to: Spot) => {
    if (isByKey.current) follow(item, to.stack);
    put(item, name, from, to);
  };
  const put = (item: string, name: string, from: string, to: Spot) => {
    const near = besideSpot(table, stacks, item, to);
    const value = (key: string) => (key === NO_VALUE ? null : key);
    if (from !== to.stack) {
      const change =
        by.kind === 'group'
          ? { column: 'groupId', before: from, after: to.stack }
          : { column: by.column.id, before: value(from), after: value(to.stack) };
      moves.put(item, name, [change], near, nameOf(to.stack));
    } else if (near)
      moves.put(
        item,
        name,
        [],
        near,
        `position ${(aboveSpot(table, stacks, item, to).above + 1).toLocaleString()} in ${nameOf(from)}`,
      );
  };
  /** The item that is lifted: the places of a stack are counted without it. */
  const lifted = useRef('');
  const carrying = useCarry<Spot>({
    placeName: (spot) => {
      if (spot.before === undefined) return nameOf(spot.stack);
      const { above, others } = aboveSpot(table, stacks, lifted.current, spot);
      return `${nameOf(spot.stack)}, ${(above + 1).toLocaleString()} of ${(others + 1).toLocaleString()}`;
    },
    ...(isSorted ? { note: SORTED } : {}),
    which: whichSpot,
    isHere: (item) => stacks.some((stack) => stack.rows.includes(table.row(item) ?? -1)),
    onGone: ({ byKey, from }) => {
      // The key that lifted it had the focus there; the card that stands in its place takes it.
      if (byKey && document.activeElement === document.body)
        within(from.stack, '.card-open[tabindex="0"], input')?.focus();
    },
    onDrop: ({ item, name, from, to, byKey }) => {
      if (byKey) follow(item, to.stack);
      put(item, name, from.stack, to);
    },
  });
  const { carried } = carrying;
  const hasPlaces = (stack: Stack) => !isSorted && !folded.has(stack.key);
  /** A spot of a stack by how many other cards are above it. */
  const spotOf = (stack: Stack, item: string, above: number): Spot =>
    hasPlaces(stack) ? spotAt(table, stack, item, above) : { stack: stack.key };
  const lift = (item: string, name: string, stack: Stack, byKey: boolean) => {
    lifted.current = item;
    carrying.lift(item, name, spotOf(stack, item, stack.rows.indexOf(table.row(item) ?? -1)), byKey);
  };
  /** What an arrow does to a card that is lifted. */
  const steer = (key: string) => {
    const from = stacks.find((stack) => stack.key === carried?.to.stack);
    if (!carried || !from) return;
    const { item, to } = carried;
    const { above, others } = aboveSpot(table, stacks, item, to);
    const side = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
    const next = side === 0 ? from : (stacks.find((stack) => stack.key === beside(stacks, from.key, side)) ?? from);
    const steps: Record<string, number> = {
      ArrowUp: Math.max(0, above - 1),
      ArrowDown: Math.min(others, above + 1),
      Home: 0,
      End: others,
    };
    carrying.over(spotOf(next, item, steps[key] ?? above));
  };
  const pointer = usePointerCarry<CardSource>({
    onLift: ({ item, name, stack: key }) => {
      const stack = stacks.find((one) => one.key === key);
      if (stack) lift(item, name, stack, false);
    },
    onMove: (point, { item }) => {
      const key = dataAt(point, 'stack');
      const stack = stacks.find((one) => one.key === key);
      if (!stack || !frame.current) return;
      carrying.over(hasPlaces(stack) ? pointedAt(frame.current, point, table, stack, item) : { stack: stack.key });
    },
    onDrop: carrying.drop,
    onCancel: carrying.cancel,
  });

  /** A stack that a key folded or unfolded: the button that does the opposite takes the focus. */
  const turned = useRef<{ key: string; isFolded: boolean }>(null);
  useEffect(() => {
    const [now, active] = [turned.current, document.activeElement];
    if (!now || folded.has(now.key) !== now.isFolded) return;
    turned.current = null;
    // Whoever is elsewhere by then stays there.
    if (active === document.body || active === null) within(now.key, 'button')?.focus();
  });
  const fold = (key: string, isFolded: boolean) => {
    if (isByKey.current) turned.current = { key, isFolded };
    const rest = (settings.folded ?? []).filter((one) => one !== key);
    onSettings({ ...settings, folded: isFolded ? [...rest, key] : rest });
  };
  /** Arrows beyond a stack's side go to the next open one that has cards. */
  const goBeside = (from: string, by: -1 | 1) => {
    const open = stacks.filter((stack) => !folded.has(stack.key) && stack.rows.length > 0);
    const key = beside(open, from, by);
    if (key !== from) within(key, '.card-open[tabindex="0"]')?.focus();
  };
  const ghost = pointer.point && carried && table.row(carried.item);
  return (
    <div
      className="kanban"
      ref={frame}
      data-scrolls="x"
      // Whoever goes on elsewhere is not called back to a card that comes into view later.
      onPointerDownCapture={() => {
        isByKey.current = false;
        setWanted(null);
      }}
      onKeyDownCapture={() => {
        isByKey.current = true;
        setWanted(null);
      }}
      style={{ '--card-pad': `${(rowPx - 20) / 2}px` } as CSSProperties}
    >
      <p className="sr-only" id="kanban-keys">
        Space lifts the card, arrow keys move it within its stack or to another, Enter opens it.
      </p>
      {stacks.map((stack) => {
        const shared = {
          stack,
          limit: settings.limits?.[stack.key],
          isTarget: carried?.to.stack === stack.key && carried.from.stack !== stack.key,
        };
        if (folded.has(stack.key))
          return <StackFolded key={stack.key} {...shared} onUnfold={() => fold(stack.key, false)} />;
        return (
          <StackColumn
            key={stack.key}
            {...shared}
            stacks={stacks}
            table={table}
            fields={fields}
            members={members}
            carrying={carrying}
            landsAt={
              carried?.to.before !== undefined && carried.to.stack === stack.key && hasMoved(carried, whichSpot)
                ? landingAt(table, stacks, carried.item, carried.to)
                : undefined
            }
            isSorted={isSorted}
            wanted={wanted}
            onFound={() => setWanted(null)}
            onPress={pointer.onPointerDown}
            onLift={(item, name) => lift(item, name, stack, true)}
            onSteer={steer}
            onBeside={goBeside}
            onOpenItem={onOpenItem}
            onMoveTo={(item, name, to) => putByMenu(item, name, stack.key, { stack: to })}
            onPlace={(item, name, above) => putByMenu(item, name, stack.key, spotAt(table, stack, item, above))}
            onFold={() => fold(stack.key, true)}
            onLimit={() => setLimiting(stack)}
            onAdd={(name) => {
              if (by.kind === 'group') return moves.add(name, { group: stack.key });
              return moves.add(name, stack.key === NO_VALUE ? {} : { cells: { [by.column.id]: stack.key } });
            }}
          />
        );
      })}
      {carried && isSorted && (
        <p className="kanban-note">
          <Icon name="info" size={14} />
          {SORTED}
        </p>
      )}
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

/** The spot of a stack under the pointer: before the first card of which it is above the middle. */
function pointedAt(frame: HTMLElement, { y }: Point, table: BoardTable, stack: Stack, item: string): Spot {
  const cards = [...frame.querySelectorAll<HTMLElement>(`[data-stack="${CSS.escape(stack.key)}"] .card-place`)].map(
    (card) => ({ box: card.getBoundingClientRect(), at: Number(card.dataset.index) }),
  );
  const inOrder = cards.sort((a, b) => a.at - b.at);
  const under = inOrder.find(({ box }) => y < (box.top + box.bottom) / 2)?.at ?? (inOrder.at(-1)?.at ?? -1) + 1;
  const own = stack.rows.indexOf(table.row(item) ?? -1);
  return spotAt(table, stack, item, own >= 0 && own < under ? under - 1 : under);
}
