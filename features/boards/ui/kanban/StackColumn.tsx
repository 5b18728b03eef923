/** One stack: its head with count and limit, its cards as a virtual list, and a line that adds one. */
import { useVirtualizer, defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { Icon, IconButton, Menu } from '@shell/components';
import type { Member } from '@shell/members';
import type { Column } from '../data';
import { useRowPx } from '../display';
import { LabelMark } from '../LabelMark';
import type { BoardTable } from '../table';
import type { Carrying } from '../views/carry';
import { Card, type CardSource } from './Card';
import { fullness, type Spot, type Stack } from './stacks';

const OVERSCAN = 6;
/** Between cards; kanban.css has it too. */
const GAP_PX = 8;

interface HeadProps {
  stack: Stack;
  limit: number | undefined;
  /** Whether what is carried would be dropped here. */
  isTarget: boolean;
}

interface StackColumnProps extends HeadProps {
  stacks: readonly Stack[];
  table: BoardTable;
  fields: readonly Column[];
  members: readonly Member[];
  carrying: Carrying<Spot>;
  /** The card before which what is carried would be put; `undefined` where it would not be put here. */
  landsAt: number | undefined;
  /** Whether the order within a stack is the sort's. */
  isSorted: boolean;
  /** The item that gets the focus if it stands here. */
  wanted: string | null;
  onFound: () => void;
  onPress: (event: PointerEvent, source: CardSource) => void;
  onLift: (item: string, name: string) => void;
  /** A key moves the card that is lifted. */
  onSteer: (key: string) => void;
  onBeside: (from: string, by: -1 | 1) => void;
  onOpenItem: (item: string, name: string) => void;
  onMoveTo: (item: string, name: string, to: string) => void;
  /** Puts a card where so many others of the stack are above it. */
  onPlace: (item: string, name: string, above: number) => void;
  onFold: () => void;
  onLimit: () => void;
  onAdd: (name: string) => Promise<void>;
}

export function StackColumn(props: StackColumnProps) {
  const {
    stack,
    stacks,
    table,
    fields,
    members,
    carrying,
    landsAt,
    isSorted,
    wanted,
    onFound,
    onPress,
    onLift,
    onSteer,
    onBeside,
    onOpenItem,
    onMoveTo,
    onPlace,
    onFold,
    onLimit,
    onAdd,
  } = props;
  const { carried } = carrying;
  const scroller = useRef<HTMLDivElement>(null);
  const rowPx = useRowPx();
  const [here, setHere] = useState(0);
  const at = Math.max(0, Math.min(here, stack.rows.length - 1));
  // One that is new at each drawing would have all cards counted anew, and their ids read.
  const getItemKey = useCallback((index: number) => stack.rows[index]!, [stack.rows]);
  const cards = useVirtualizer({
    count: stack.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx + 30,
    getItemKey,
    overscan: OVERSCAN,
    gap: GAP_PX,
    // The landing line has its room above the first card too.
    paddingStart: GAP_PX,
    scrollPaddingStart: GAP_PX,
    // The card with the focus stays, or scrolling would lose the focus.
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), at])].filter((index) => index < range.count).sort((a, b) => a - b),
  });
  /** The item whose card gets the focus once it is there. */
  const wantsFocus = useRef<string>(null);
  const focusAt = (index: number) => {
    wantsFocus.current = table.id(stack.rows[index]!);
    setHere(index);
    cards.scrollToIndex(index);
  };
  useEffect(() => {
    if (wanted === null) return;
    const index = stack.rows.indexOf(table.row(wanted) ?? -1);
    if (index < 0) return;
    wantsFocus.current = wanted;
    setHere(index);
    cards.scrollToIndex(index);
    onFound();
  }, [wanted, stack.rows, table, cards, onFound]);
  useEffect(() => {
    if (wantsFocus.current === null) return;
    // Another card stands in its place until the next drawing.
    const card = scroller.current?.querySelector<HTMLElement>(
      `.card-open[data-item="${CSS.escape(wantsFocus.current)}"]`,
    );
    if (!card) return;
    wantsFocus.current = null;
    card.focus({ preventScroll: true });
  });

  const isLandingByKey = landsAt !== undefined && carried?.byKey === true;
  /** It would land where no line says it: in an empty stack, or where its place on the board or the sort says. */
  const isAwaiting =
    props.isTarget && carried !== null && (stack.rows.length === 0 || (carried.byKey && landsAt === undefined));
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isLandingByKey) return;
    if (landsAt < stack.rows.length) cards.scrollToIndex(landsAt);
    else if (landsAt > 0) cards.scrollToIndex(landsAt - 1);
    line.current?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [isLandingByKey, landsAt, stack.rows.length, cards]);
  const onKeyDown = (event: KeyboardEvent, index: number, item: string, name: string) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const isLifted = carried?.item === item;
    const page = 8;
    const steps: Record<string, number> = {
      ArrowUp: index - 1,
      ArrowDown: index + 1,
      PageUp: index - page,
      PageDown: index + page,
      Home: 0,
      End: stack.rows.length - 1,
    };
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (isLifted) {
      if (step || steps[event.key] !== undefined) onSteer(event.key);
      else if (event.key === 'Enter' || event.key === ' ') carrying.drop();
      else if (event.key === 'Escape' || event.key === 'Tab') {
        carrying.cancel();
        if (event.key === 'Tab') return;
      }
    } else if (event.key === ' ') onLift(item, name);
    else if (step) onBeside(stack.key, step);
    else if (steps[event.key] !== undefined) focusAt(Math.max(0, Math.min(steps[event.key]!, stack.rows.length - 1)));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section className="stack" aria-label={stack.name} data-stack={stack.key} data-target={props.isTarget || undefined}>
      <header className="stack-head">
        <StackName {...props} />
        <IconButton icon="chevronLeft" label={`Collapse ${stack.name}`} onPress={onFold} />
        <Menu
          label={`Stack ${stack.name}`}
          groups={[
            {
              entries: [
                {
                  id: 'limit',
                  label: props.limit === undefined ? 'Set limit' : 'Change limit',
                  icon: 'hash',
                  onAction: onLimit,
                },
                { id: 'fold', label: 'Collapse', icon: 'chevronLeft', onAction: onFold },
              ],
            },
          ]}
        >
          <IconButton icon="more" label={`More actions for ${stack.name}`} />
        </Menu>
      </header>
      <div className="stack-scroll" ref={scroller} data-scrolls="y">
        {stack.rows.length > 0 ? (
          <div role="list" aria-label={stack.name} className="stack-cards" style={{ height: cards.getTotalSize() }}>
            {cards.getVirtualItems().map(({ index, start }) => {
              const row = stack.rows[index]!;
              const item = table.id(row);
              const name = String(table.cell(row, 'name') ?? '');
              return (
                <Card
                  key={item}
                  measure={cards.measureElement}
                  table={table}
                  row={row}
                  index={index}
                  count={stack.rows.length}
                  top={start}
                  fields={fields}
                  members={members}
                  stack={stack}
                  stacks={stacks}
                  isHere={index === at}
                  isSorted={isSorted}
                  onPlace={(above) => onPlace(item, name, above)}
                  isCarried={carried?.item === item}
                  onFocus={() => setHere(index)}
                  onKeyDown={(event) => onKeyDown(event, index, item, name)}
                  onPress={onPress}
                  onOpen={() => onOpenItem(item, name)}
                  onMoveTo={(to) => onMoveTo(item, name, to)}
                />
              );
            })}
            {landsAt !== undefined && (
              <div
                className="stack-line"
                role="presentation"
                data-first={landsAt === 0 || undefined}
                ref={line}
                style={{
                  top:
                    landsAt < stack.rows.length
                      ? (cards.measurementsCache[landsAt]?.start ?? 0) - GAP_PX
                      : cards.getTotalSize(),
                }}
              >
                {carried?.byKey && <span aria-hidden="true">{carried.name}</span>}
              </div>
            )}
          </div>
        ) : (
          !isAwaiting && <p className="stack-empty">No items</p>
        )}
        {isAwaiting && <div className="card stack-landing">{carried.name}</div>}
      </div>
      <AddCard stack={stack.name} onAdd={onAdd} />
    </section>
  );
}

/** A collapsed stack, which is also a drop target. */
export function StackFolded({ onUnfold, ...props }: HeadProps & { onUnfold: () => void }) {
  const { stack, isTarget } = props;
  return (
    <section
      className="stack stack-folded"
      aria-label={stack.name}
      data-stack={stack.key}
      data-target={isTarget || undefined}
    >
      <IconButton icon="chevronRight" label={`Expand ${stack.name}`} onPress={onUnfold} />
      <StackName {...props} />
    </section>
  );
}

function StackName({ stack, limit }: HeadProps) {
  const { text, over } = fullness(stack.rows.length, limit);
  return (
    <h2 className="stack-name">
      <LabelMark className="stack-dot" color={stack.color} category={stack.category} />
      <span className="grid-text">{stack.name}</span>
      <span className="stack-count" data-over={over || undefined} data-numeric>
        {over && <Icon name="warning" size={12} />}
        {text}
        {over && <span className="sr-only">, over the limit</span>}
      </span>
    </h2>
  );
}

function AddCard({ stack, onAdd }: { stack: string; onAdd: (name: string) => Promise<void> }) {
  const [name, setName] = useState('');
  return (
    <form
      className="stack-add"
      onSubmit={(event) => {
        event.preventDefault();
        const text = name.trim();
        if (text === '') return;
        setName('');
        // What could not be added is given back to be tried again.
        onAdd(text).catch(() => setName((now) => now || text));
      }}
    >
      <Icon name="plus" size={14} />
      <input
        aria-label={`Add an item in ${stack}`}
        placeholder="Add an item"
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && setName('')}
      />
    </form>
  );
}
