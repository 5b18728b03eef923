/** A released item in the inbox. */
import { Loading } from '@shell/components';
import type { RowBodyProps } from '@shell/feature';
import Content from './Content';
import { itemIn, useItem } from './data';

export default function RowBody({ body, link }: RowBodyProps) {
  const { queueId, itemId } = itemIn(link ?? '');
  const { data: item, error } = useItem(queueId, itemId);
  if (item) return <Content {...item} />;
  // Drips may be off by now, or the item deleted.
  if (error || itemId === '') return <p className="drip-plain">{body || 'This item is no longer available.'}</p>;
  return <Loading label="Loading item" />;
}
