import { useCallback, useEffect, useState } from 'react';
import { reasonOf } from '@shell/api';
import { Button, Dialog, Loading } from '@shell/components';
import type { BoardInfo } from '../boards';
import type { Picked } from '../charts/points';
import type { Items, ItemsQuery } from '../engine';
import { ItemLink } from '../ItemLink';
import { counted } from '../words';

/** Items that are read at a time. */
const PAGE = 100;

/** The exact items that a value is made of, each with its board and the way to it. */
export function ItemsBehind(props: {
  widget: string;
  title: string;
  part?: Picked | undefined;
  boards: readonly BoardInfo[];
  load: (of: ItemsQuery) => Promise<Items>;
  only?: { label: string; run: () => void } | null | undefined;
  onClose: () => void;
}) {
  const { widget, title, part, boards, load, only, onClose } = props;
  const [items, setItems] = useState<Items['items']>([]);
  const [total, setTotal] = useState<number>();
  const [error, setError] = useState<unknown>(null);
  const [isReading, setReading] = useState(false);
  const more = useCallback(
    async (offset: number) => {
      setReading(true);
      try {
        const page = await load({ widget, offset, limit: PAGE, ...(part ? { part } : {}) });
        setTotal(page.total);
        setItems((before) => [...before.slice(0, offset), ...page.items]);
        setError(null);
      } catch (failure) {
        setError(failure);
      }
      setReading(false);
    },
    [load, widget, part],
  );
  useEffect(() => void more(0), [more]);
  const nameOf = (boardId: string) => boards.find(({ id }) => id === boardId)?.name ?? 'Board';
  return (
    <Dialog isOpen onClose={onClose} title={title} size="medium">
      {total === undefined ? (
        !error && <Loading label="Loading items" />
      ) : (
        <>
          <p className="items-count" role="status">
            {total > items.length
              ? `${items.length.toLocaleString()} of ${counted(total, 'item')}`
              : counted(total, 'item')}
          </p>
          {only && (
            <Button
              icon="filter"
              onPress={() => {
                only.run();
                onClose();
              }}
            >
              {`Show only ${only.label} in all widgets`}
            </Button>
          )}
          <ul className="items-list" aria-label="Items">
            {items.map(({ boardId, itemId, name, group }) => (
              <li key={`${boardId} ${itemId}`}>
                <ItemLink boardId={boardId} itemId={itemId} name={name} />
                <span className="items-place">{[nameOf(boardId), group].filter(Boolean).join(', ')}</span>
              </li>
            ))}
          </ul>
          {!error && total > items.length && (
            <Button
              isPending={isReading}
              onPress={() => void more(items.length)}
            >{`Show ${Math.min(PAGE, total - items.length)} more`}</Button>
          )}
        </>
      )}
      {!!error && (
        <>
          <p role="alert">
            {total === undefined ? "Couldn't load items." : "Couldn't load more items."} {reasonOf(error)}
          </p>
          <Button isPending={isReading} onPress={() => void more(items.length)}>
            Try again
          </Button>
        </>
      )}
    </Dialog>
  );
}
