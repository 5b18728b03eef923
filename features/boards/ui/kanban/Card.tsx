/** A card: its content and actions. */
import { useRef, type KeyboardEvent, type PointerEvent, type Ref } from 'react';
import { IconButton, Menu } from '@shell/components';
import type { Member } from '@shell/members';
import type { Column } from '../data';
import { SubitemCount } from '../SubitemCount';
import { progressOf } from '../subitems';
import type { BoardTable } from '../table';
import { CardField } from '../views/fields';
import type { Stack } from './stacks';

/** Elements pressed when a card is dragged. */
export interface CardSource {
  item: string;
  name: string;
  stack: string;
}

interface CardBodyProps {
  table: BoardTable;
  row: number;
  fields: readonly Column[];
  members: readonly Member[];
}

/** Name and fields. */
export function CardBody({ table, row, fields, members }: CardBodyProps) {
  return (
    <>
      <span className="card-name">{String(table.cell(row, 'name') ?? '')}</span>
      <CardFields table={table} row={row} fields={fields} members={members} />
    </>
  );
}

function CardFields({ table, row, fields, members }: CardBodyProps) {
  const hasDates = table.meta.columns.filter(({ type }) => type === 'date').length > 1;
  return (
    <span className="card-fields">
      <SubitemCount progress={progressOf(table, table.id(row))} />
      {fields.map((column) => (
        <CardField
          key={column.id}
          column={column}
          value={table.cell(row, column.id)}
          members={members}
          isNamed={hasDates && column.type === 'date'}
        />
      ))}
    </span>
  );
}

interface CardProps extends CardBodyProps {
  index: number;
  count: number;
  top: number;
  measure: Ref<HTMLDivElement>;
  stack: Stack;
  stacks: readonly Stack[];
  isHere: boolean;
  isCarried: boolean;
  /** Whether the order within a stack is the sort's. */
  isSorted: boolean;
  onFocus: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onPress: (event: PointerEvent, source: CardSource) => void;
  onOpen: () => void;
  onMoveTo: (to: string) => void;
  /** Puts it where so many others of the stack are above it. */
  onPlace: (above: number) => void;
}

export function Card(props: CardProps) {
  const {
    table,
    row,
    index,
    count,
    top,
    measure,
    stack,
    stacks,
    isHere,
    isCarried,
    isSorted,
    onFocus,
    onKeyDown,
    onPress,
    onOpen,
    onMoveTo,
    onPlace,
  } = props;
  const place = (id: string, label: string, above: number) => ({
    id,
    label,
    isDisabled: isSorted || above === index || above < 0 || above >= count,
    onAction: () => onPlace(above),
  });
  const item = table.id(row);
  const name = String(table.cell(row, 'name') ?? '');
  const button = useRef<HTMLButtonElement>(null);
  return (
    <div
      role="listitem"
      aria-setsize={count}
      aria-posinset={index + 1}
      className="card-place"
      data-index={index}
      ref={measure}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div
        className="card"
        data-carried={isCarried || undefined}
        onPointerDown={(event) => {
          if (!(event.target as Element).closest('.card-more')) onPress(event, { item, name, stack: stack.key });
        }}
      >
        <button
          ref={button}
          type="button"
          className="card-open card-name"
          data-item={item}
          tabIndex={isHere ? 0 : -1}
          aria-describedby="kanban-keys"
          onFocus={onFocus}
          onKeyDown={onKeyDown}
          // The space that lifts is no press of the button.
          onKeyUp={(event) => event.key === ' ' && event.preventDefault()}
          onClick={onOpen}
        >
          {name}
        </button>
        <CardFields {...props} />
        <span className="card-more">
          <Menu
            label={`Move ${name}`}
            groups={[
              {
                label: 'Move to',
                entries: stacks.map((to) => ({
                  id: `to-${to.key}`,
                  label: to.name,
                  isSelected: to.key === stack.key,
                  isDisabled: to.key === stack.key,
                  onAction: () => onMoveTo(to.key),
                })),
              },
              {
                label: isSorted ? 'Position: set by the sort' : 'Position',
                entries: [
                  place('top', 'Move to top', 0),
                  place('up', 'Move up', index - 1),
                  place('down', 'Move down', index + 1),
                  place('bottom', 'Move to bottom', count - 1),
                ],
              },
              { entries: [{ id: 'open', label: 'Open', icon: 'eye', onAction: onOpen }] },
            ]}
          >
            <IconButton icon="more" label={`Move ${name}`} excludeFromTabOrder={!isHere} />
          </Menu>
        </span>
      </div>
    </div>
  );
}
