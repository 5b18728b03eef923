/** Scheduled messages: types, queries, and actions. */
import { useQuery } from '@tanstack/react-query';
import { client, type Schemas } from '@shell/client';
import { toast } from '@shell/components';
import { useReported } from '@shell/requests';
import { daysOf, HERE } from '@shell/times';

export type ScheduledMessage = Schemas['ScheduledMessage'];
export type MessageTarget = ScheduledMessage['target'];
export interface MessageFields {
  title?: string;
  body?: string;
  when?: string;
  on?: boolean;
  sessionId?: string;
  hubId?: string;
}

/** The start of this feature's query keys: one event invalidates all of them. */
export const SCHEDULED = ['scheduled-messages'];

/** All messages, the next one first. */
export const useMessages = () =>
  useQuery({
    queryKey: [...SCHEDULED, 'list'],
    queryFn: ({ signal }) => client.get('/scheduled-messages', { signal }).then(({ items }) => items.toSorted(byNext)),
  });

const byNext = (a: ScheduledMessage, b: ScheduledMessage) => (a.nextAt ?? '9').localeCompare(b.nextAt ?? '9');

/** One message, also while it waits for approval. */
export const useMessage = (messageId: string) =>
  useQuery({
    queryKey: [...SCHEDULED, 'one', messageId],
    queryFn: ({ signal }) => client.get('/scheduled-messages/{messageId}', { path: { messageId }, signal }),
    enabled: messageId !== '',
    retry: false,
  });

/** How words are understood. Not one of this feature's queries: no event changes it. */
export const useUnderstood = (when: string) =>
  useQuery({
    queryKey: ['understood-schedule', when],
    queryFn: ({ signal }) => client.post('/scheduled-messages/understand', { body: { when }, signal }),
    enabled: when !== '',
    retry: false,
    placeholderData: (previous) => (when === '' ? undefined : previous),
  });

/** Hubs and sessions to choose from, as options. */
export const useTargets = () =>
  useQuery({
    queryKey: ['scheduled-message-targets'],
    queryFn: async ({ signal }) => {
      const [hubs, sessions] = await Promise.all([
        client.get('/hubs', { signal }),
        client.get('/sessions', { signal, query: { limit: 100 } }),
      ]);
      return {
        hubs: hubs.items.map(({ id, name }) => ({ value: id, label: name })),
        sessions: sessions.items.map(({ id, title }) => ({ value: id, label: title })),
      };
    },
  });

/** `09:00, Weekdays, Asia/Tokyo`. */
export const scheduleOf = (
  message: Pick<ScheduledMessage, 'time' | 'date' | 'days' | 'timeZone'>,
  here: string = HERE,
): string =>
  [message.time.slice(0, 5), daysOf(message), message.timeZone === here ? '' : message.timeZone]
    .filter(Boolean)
    .join(', ');

/** Actions on messages. Each shows its failures and reloads the messages. */
export function useMessageActions() {
  const then = useReported(SCHEDULED);
  const path = (messageId: string) => ({ path: { messageId } });
  return {
    create: (body: MessageFields & { body: string }) =>
      then("Couldn't schedule message", client.post('/scheduled-messages', { body })),
    update: (id: string, body: MessageFields) =>
      then("Couldn't change message", client.patch('/scheduled-messages/{messageId}', { ...path(id), body })),
    run: async ({ id, title }: ScheduledMessage) => {
      if (await then("Couldn't send message", client.post('/scheduled-messages/{messageId}/run', path(id))))
        toast.done(`Sent ${title}`);
    },
    approve: (id: string) =>
      then("Couldn't approve message", client.post('/scheduled-messages/{messageId}/approve', path(id))),
    deny: (id: string) => then("Couldn't deny message", client.post('/scheduled-messages/{messageId}/deny', path(id))),
    remove: async ({ id, title }: ScheduledMessage) => {
      if (!(await then("Couldn't delete message", client.delete('/scheduled-messages/{messageId}', path(id))))) return;
      toast.done(`Deleted ${title}`, {
        undo: () =>
          void then("Couldn't restore message", client.post('/scheduled-messages/{messageId}/restore', path(id))),
      });
    },
  };
}
