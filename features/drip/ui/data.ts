/** Drips: types, queries, and actions. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { useReported } from '@shell/requests';
import { daysOf, HERE, type Weekday } from '@shell/times';

export type DripQueue = Schemas['DripQueue'];
export type DripEntry = Schemas['DripItemEntry'];
export type DripItem = Schemas['DripItem'];
export type DripKind = DripItem['kind'];
export interface QueueFields {
  name?: string;
  on?: boolean;
  everyHours?: number;
  time?: string;
  days?: Weekday[];
  timeZone?: string;
}
export interface ItemFields {
  title?: string;
  content?: string;
  kind?: DripKind;
}

/** The start of this feature's query keys: one event invalidates all of them. */
export const DRIP = ['drip'];

export const useQueues = () =>
  useQuery({
    queryKey: [...DRIP, 'queues'],
    queryFn: ({ signal }) => client.get('/drip', { signal }).then(({ items }) => items),
  });

/** The items of a queue in order, without their contents. */
export const useItems = (queueId: string) =>
  useQuery({
    queryKey: [...DRIP, 'items', queueId],
    queryFn: ({ signal }) =>
      client.get('/drip/{queueId}/items', { path: { queueId }, signal }).then(({ items }) => items),
  });

/** An item with its content. */
export const useItem = (queueId: string, itemId: string) =>
  useQuery({
    queryKey: [...DRIP, 'item', queueId, itemId],
    queryFn: ({ signal }) => client.get('/drip/{queueId}/items/{itemId}', { path: { queueId, itemId }, signal }),
    enabled: queueId !== '' && itemId !== '',
    retry: false,
  });

/** The item that an address names: `?item=QUEUE.ITEM`. */
export function itemIn(address: string): { queueId: string; itemId: string } {
  const [, queueId = '', itemId = ''] = /[?&]item=([^.&]+)\.([^.&]+)$/.exec(address) ?? [];
  return { queueId, itemId };
}

/** `Every 6 hours`, or `09:00, Weekdays`. */
export function cadenceOf({ everyHours, at }: Pick<DripQueue, 'everyHours' | 'at'>): string {
  if (everyHours !== null) return everyHours === 1 ? 'Every hour' : `Every ${everyHours} hours`;
  if (!at) return '';
  return [at.time.slice(0, 5), daysOf(at), at.timeZone === HERE ? '' : at.timeZone].filter(Boolean).join(', ');
}

/** Actions on queues and items. Each shows its failures and loads both again. */
export function useDripActions() {
  const then = useReported(DRIP);
  const one = (queueId: string, itemId: string) => ({ path: { queueId, itemId } });
  return {
    create: (body: QueueFields & { name: string }) => then("Couldn't create queue", client.post('/drip', { body })),
    update: (queueId: string, body: QueueFields) =>
      then("Couldn't change queue", client.patch('/drip/{queueId}', { path: { queueId }, body })),
    remove: async ({ id, name }: DripQueue) => {
      const path = { path: { queueId: id } };
      if (!(await then("Couldn't delete queue", client.delete('/drip/{queueId}', path)))) return;
      toast.done(`Deleted ${name}`, {
        undo: () => void then("Couldn't restore queue", client.post('/drip/{queueId}/restore', path)),
      });
    },
    release: (queueId: string, itemId?: string) =>
      then(
        "Couldn't release item",
        client.post('/drip/{queueId}/release', { path: { queueId }, body: itemId === undefined ? {} : { itemId } }),
      ),
    addItem: (queueId: string, body: ItemFields & { content: string }) =>
      then("Couldn't add item", client.post('/drip/{queueId}/items', { path: { queueId }, body })),
    updateItem: (queueId: string, itemId: string, body: ItemFields) =>
      then("Couldn't change item", client.patch('/drip/{queueId}/items/{itemId}', { ...one(queueId, itemId), body })),
    moveItem: (queueId: string, itemId: string, before?: string) =>
      then(
        "Couldn't move item",
        client.post('/drip/{queueId}/items/{itemId}/reorder', {
          ...one(queueId, itemId),
          body: before === undefined ? {} : { before },
        }),
      ),
    skipItem: (queueId: string, itemId: string, skipped: boolean) =>
      then(
        "Couldn't skip item",
        client.post('/drip/{queueId}/items/{itemId}/skip', { ...one(queueId, itemId), body: { skipped } }),
      ),
    removeItem: (queueId: string, itemId: string) =>
      then("Couldn't delete item", client.delete('/drip/{queueId}/items/{itemId}', one(queueId, itemId))),
  };
}
